package redislimiter

import (
	"context"
	"crypto/sha1"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// The scripts, each behind what all of them share.
var (
	//go:embed lua/state.lua
	stateText string
	//go:embed lua/grant.lua
	grantText string
	//go:embed lua/acquire.lua
	acquireText string
	//go:embed lua/configure.lua
	configureText string
	//go:embed lua/config.lua
	configText string
	//go:embed lua/available.lua
	availableText string
	//go:embed lua/release.lua
	releaseText string
	//go:embed lua/reserve.lua
	reserveText string
	//go:embed lua/life.lua
	lifeText string

	acquireScript   = newScript(grantText + stateText + acquireText)
	configureScript = newScript(stateText + configureText)
	configScript    = newScript(stateText + configText)
	availableScript = newScript(stateText + availableText)
	releaseScript   = newScript(stateText + releaseText)
	reserveScript   = newScript(stateText + reserveText)
	lifeScript      = newScript(stateText + lifeText)
)

// A script is Lua text that Redis knows by its hash after the first use.
type script struct{ text, hash string }

func newScript(text string) *script {
	sum := sha1.Sum([]byte(text))
	return &script{text, hex.EncodeToString(sum[:])}
}

// once is a command that go-redis does not send again when the answer fails to come: it may have been carried out.
type once struct{ *redis.Cmd }

// NoRetry reports true.
func (once) NoRetry() bool { return true }

// Clone returns a copy that is not sent again either.
func (c once) Clone() redis.Cmder {
	if cmd, ok := c.Cmd.Clone().(*redis.Cmd); ok {
		return once{cmd}
	}
	return c
}

// run carries out the script once. Redis answers NOSCRIPT before it does anything, so that the text can follow safely;
// it stays there, on the node that has answered.
func (s *script) run(ctx context.Context, client redis.UniversalClient, keys []string, args ...any) (any, error) {
	answer, err := s.send(ctx, client, "evalsha", s.hash, keys, args)
	if err != nil && redis.HasErrorPrefix(err, "NOSCRIPT") {
		return s.send(ctx, client, "eval", s.text, keys, args)
	}
	return answer, err
}

// What scripts say instead of an answer.
const (
	missing = -1 - iota
	foreign
	otherLimits
	noClient
	fixedWindow
)

// ask is run for an answer in integers, of which there is one at least. What the script says instead is an error, but for
// otherLimits, which is for the ring.
func (s *script) ask(ctx context.Context, client redis.UniversalClient, keys []string, args ...any) ([]int64, error) {
	reply, err := s.run(ctx, client, keys, args...)
	if err != nil {
		return nil, err
	}
	values, err := integers(reply)
	if err != nil {
		return nil, err
	}
	switch values[0] {
	case missing:
		return nil, ErrNotInitialized
	case foreign:
		return nil, ErrForeignKey
	case noClient:
		return nil, ErrNoClientID
	case fixedWindow:
		return nil, ErrFixedWindow
	}
	return values, nil
}

func integers(reply any) ([]int64, error) {
	switch reply := reply.(type) {
	case int64:
		return []int64{reply}, nil
	case []any:
		values := make([]int64, len(reply))
		for i, v := range reply {
			n, ok := v.(int64)
			if !ok {
				return nil, fmt.Errorf("%w: a script answered with %T", ErrUnknownOutcome, v)
			}
			values[i] = n
		}
		if len(values) > 0 {
			return values, nil
		}
	}
	return nil, fmt.Errorf("%w: a script answered with %v", ErrUnknownOutcome, reply)
}

func (s *script) send(
	ctx context.Context, client redis.UniversalClient, command, body string, keys []string, args []any,
) (any, error) {
	all := make([]any, 3, 3+len(keys)+len(args))
	all[0], all[1], all[2] = command, body, len(keys)
	for _, key := range keys {
		all = append(all, key)
	}
	cmd := once{redis.NewCmd(ctx, append(all, args...)...)}
	if len(keys) > 0 {
		cmd.SetFirstKeyPos(3)
	}
	if err := client.Process(ctx, cmd); err != nil {
		return nil, err
	}
	return cmd.Val(), nil
}

// classify says what an error of go-redis means: ErrForeignKey, ErrUnavailable where nothing can have been done, else
// ErrUnknownOutcome; nil for an error of this package. It also reports whether the error speaks against the server's
// health.
func classify(err error) (kind error, sick bool) {
	var own failure
	var answer redis.Error
	var op *net.OpError
	switch {
	case errors.As(err, &own):
		return nil, false
	case errors.Is(err, redis.ErrClosed), errors.Is(err, redis.ErrPoolTimeout), errors.Is(err, redis.ErrPoolExhausted),
		errors.As(err, &op) && op.Op == "dial":
		return ErrUnavailable, true // it was not sent
	case errors.As(err, &answer):
		text := err.Error()
		if strings.Contains(text, "WRONGTYPE") {
			return ErrForeignKey, false
		}
		for _, prefix := range []string{"LOADING", "CLUSTERDOWN", "MASTERDOWN", "READONLY", "ERR max number of clients"} {
			if strings.HasPrefix(text, prefix) {
				return ErrUnavailable, true
			}
		}
		return ErrUnavailable, false // it was refused, or failed before the first write
	}
	return ErrUnknownOutcome, true
}

// itoa returns n in digits.
func itoa(n int64) string { return strconv.FormatInt(n, 10) }
