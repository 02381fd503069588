package retry

import (
	"io"
	"reflect"
)

// drained is how much of a body is read before it is dropped. Reading more would take longer than a new connection.
const drained = 64 << 10

// DropBody closes the body of a response that nobody will see. Up to 64 KB of it are read first, so that its connection
// can be used again; that ends with the context of the attempt at the latest. A nil body is no body.
func DropBody(body io.ReadCloser) {
	if body == nil {
		return
	}
	_, _ = io.CopyN(io.Discard, body, drained)
	_ = body.Close()
}

// drop closes a result that nobody will see, if it or its Body can be closed. An error of Close concerns nobody.
func drop(result any) {
	if closed(result) {
		return
	}
	v := reflect.ValueOf(result)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return
	}
	field, ok := v.Type().Elem().FieldByName("Body")
	if !ok {
		return
	}
	body, err := v.Elem().FieldByIndexErr(field.Index)
	if err != nil {
		return
	}
	if readable, ok := body.Interface().(io.ReadCloser); ok && field.Type == readCloser && !isNil(readable) {
		DropBody(readable)
		return
	}
	closed(body.Interface())
}

var readCloser = reflect.TypeFor[io.ReadCloser]()

// closed reports whether v is an io.Closer, which it has closed unless it is a nil pointer.
func closed(v any) bool {
	closer, ok := v.(io.Closer)
	if ok && !isNil(v) {
		_ = closer.Close()
	}
	return ok
}

// isNil reports whether v is a nil pointer.
func isNil(v any) bool {
	p := reflect.ValueOf(v)
	return p.Kind() == reflect.Pointer && p.IsNil()
}
