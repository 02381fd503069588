package redislimiter

import (
	"context"
	"time"
)

// An upkeep is what layouts do alike with the keys of a limiter as such.
type upkeep struct {
	// do runs the layout's script for it. It reports whether there was a limiter, and a number that depends on what is done.
	do   func(ctx context.Context, args ...any) (existed bool, number int64, err error)
	unit time.Duration // of times in the script
}

func (u upkeep) remove(ctx context.Context) (bool, error) {
	existed, _, err := u.do(ctx, "delete")
	return existed, err
}

func (u upkeep) exists(ctx context.Context) (bool, error) {
	existed, _, err := u.do(ctx, "exists")
	return existed, err
}

func (u upkeep) expire(ctx context.Context, after time.Duration) (bool, error) {
	existed, _, err := u.do(ctx, "expire", int64(after/u.unit))
	return existed, err
}

func (u upkeep) persist(ctx context.Context) (bool, error) {
	_, was, err := u.do(ctx, "persist")
	return was == 1, err
}
