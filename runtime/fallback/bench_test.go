package fallback_test

import (
	"context"
	"testing"

	"github.com/resilgen/resilgen/runtime/fallback"
)

func BenchmarkAnswered(b *testing.B) {
	f := newFallback(b)
	for _, handler := range []string{"stockMissing", "stockWhenOpen", "stockUnknown"} {
		f.Answered(handler, errBoom, nil)
	}
	b.ReportAllocs()
	for b.Loop() {
		f.Answered("stockUnknown", errBoom, nil)
	}
}

func BenchmarkDo(b *testing.B) {
	f := newFallback(b)
	handlers := []fallback.Handler[string]{onError("missing", errMissing), onType[*openError]("open"), otherwise("unknown")}
	for name, err := range map[string]error{"success": nil, "answered": errBoom} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = fallback.Do(b.Context(), f, func(context.Context) (string, error) { return "", err }, handlers...)
			}
		})
	}
}
