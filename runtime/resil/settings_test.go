package resil_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/retry"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// TestEachFieldOfEachConfigIsToldApart sets one field to two values, and expects that this field and no other is found
// to differ. It fails when a policy gets a field of a type that the comparison cannot handle.
func TestEachFieldOfEachConfigIsToldApart(t *testing.T) {
	t.Parallel()
	eachField(t, func(b *resil.Binder, set ...func(*breaker.Config)) {
		for _, option := range set {
			b.Breaker(new(resil.Ref[breaker.Breaker]), "db", option)
		}
	})
	eachField(t, func(b *resil.Binder, set ...func(*retry.Config)) {
		for _, option := range set {
			b.Retry(new(resil.Ref[retry.Retry]), "db", option)
		}
	})
	eachField(t, func(b *resil.Binder, set ...func(*timelimiter.Config)) {
		for _, option := range set {
			b.TimeLimiter(new(resil.Ref[timelimiter.TimeLimiter]), "db", option)
		}
	})
	eachField(t, func(b *resil.Binder, set ...func(*limiter.Config)) {
		for _, option := range set {
			b.Limiter(new(resil.Ref[limiter.Limiter]), "db", option)
		}
	})
	eachField(t, func(b *resil.Binder, set ...func(*bulkhead.Config)) {
		for _, option := range set {
			b.Bulkhead(new(resil.Ref[bulkhead.Bulkhead]), "db", option)
		}
	})
	eachField(t, func(b *resil.Binder, set ...func(*bulkhead.PoolConfig)) {
		for _, option := range set {
			b.PoolBulkhead(new(resil.Ref[bulkhead.Pool]), "db", option)
		}
	})
}

func eachField[C any](t *testing.T, bind func(b *resil.Binder, set ...func(*C))) {
	t.Helper()
	for field := range reflect.TypeFor[C]().Fields() {
		name := field.Name
		set := func(value reflect.Value) func(*C) {
			return func(c *C) { reflect.ValueOf(c).Elem().FieldByIndex(field.Index).Set(value) }
		}
		value := reflect.New(field.Type).Elem()
		switch {
		case field.Type == reflect.TypeFor[policy.ErrorRule]():
			value.Set(reflect.ValueOf(policy.ErrorRule{Match: func(error) bool { return true }, Text: "all"}))
		case field.Type.Kind() == reflect.Bool:
			value.SetBool(true)
		case value.CanInt():
			value.SetInt(2)
		case value.CanUint():
			value.SetUint(2)
		case value.CanFloat():
			value.SetFloat(2)
		case field.Type.Kind() == reflect.String:
			value.SetString("two")
		case field.Type.Kind() == reflect.Func:
			value.Set(reflect.MakeFunc(field.Type, func([]reflect.Value) []reflect.Value { return nil }))
		default:
			t.Fatalf("%s.%s: how is a %s set?", reflect.TypeFor[C](), name, field.Type)
		}
		b := resil.Bind(resil.Passthrough(), "example.com/shop/inventory", "inventory.Client")
		bind(b, set(reflect.Zero(field.Type)), set(value), func(*C) {})
		key := strings.ToLower(name[:1]) + name[1:]
		require.Regexp(t, `^[\w-]+ "db": `+key+` is \S+ and \S+ at example.com/shop/inventory.Client; `+
			`give it one value or two names$`, b.Err())

		b = resil.Bind(resil.Passthrough(), "example.com/shop/inventory", "inventory.Client")
		bind(b, set(value), set(value), set(value))
		require.NoError(t, b.Err(), "%s is the same thrice", key)
	}
}
