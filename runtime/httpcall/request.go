package httpcall

import "net/http"

// Repeatable reports whether a call with the request can be made again: there is no body, or one that GetBody makes anew.
func Repeatable(r *http.Request) bool {
	return !hasBody(r) || r.GetBody != nil
}

// Rearm returns the request for a further attempt, after an earlier one that was given r. It is r itself where that has
// no body, or one that GetBody does not make anew, and else a shallow copy, as the earlier attempt may still be reading
// from r. The body of r is closed, for the case that the earlier attempt never came to it.
//
// If GetBody fails, so does every Read of the body that the copy has, with GetBody's error: it is the attempt's error.
func Rearm(r *http.Request) *http.Request {
	if !hasBody(r) || r.GetBody == nil {
		return r
	}
	_ = r.Body.Close()
	again := r.WithContext(r.Context())
	body, err := r.GetBody()
	if err != nil {
		body = noBody{err}
	}
	again.Body = body
	return again
}

// CloseBody closes the body of a request that will not be sent. Whoever refuses a call has to do that in the place of an
// http.RoundTripper, which always closes it, also on errors.
func CloseBody(r *http.Request) {
	if hasBody(r) {
		_ = r.Body.Close()
	}
}

func hasBody(r *http.Request) bool {
	return r != nil && r.Body != nil && r.Body != http.NoBody
}

// A noBody stands for a body that could not be made.
type noBody struct{ err error }

func (b noBody) Read([]byte) (int, error) { return 0, b.err }
func (b noBody) Close() error             { return nil }
