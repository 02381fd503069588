package timelimiter

import (
	"context"
	"io"
)

// KeepUntilClose returns body for the caller of a call that has succeeded, and lets the context of the call live on for
// it, as in
//
//	response, err := do(ctx)
//	if response != nil {
//		response.Body = call.KeepUntilClose(response.Body)
//	}
//	return response, call.End(err)
//
// [Call.Stop] then leaves the context alone. It ends when the body is closed or the limit runs out, whichever comes
// first, so that the limit is one for the call and for reading what it returned; a body that nobody closes costs no more
// than a timer until then. A Read that fails because the limit has run out returns a [*TimeoutError], but it is not
// counted: the call is over when it returns.
//
// The body that is returned can be written to if body can be, and has a method CloseWrite if such a body has one, as
// that of a response with status 101 does. It is body itself where that is nil or the call has no limit of its own. A
// call keeps its context for one body at most.
func (c *Call) KeepUntilClose(body io.ReadCloser) io.ReadCloser { return c.keep(body, nil) }

// keep is KeepUntilClose where the body is read through a context of its own, which cancel ends.
func (c *Call) keep(body io.ReadCloser, cancel context.CancelFunc) io.ReadCloser {
	if body == nil || c.cancel == nil && cancel == nil {
		return body
	}
	kept := &keptBody{ReadCloser: body, call: *c, release: c.cancel}
	if cancel != nil {
		kept.release = c.bound(cancel)
	}
	c.kept = true
	writer, ok := body.(io.Writer)
	if !ok {
		return kept
	}
	if half, ok := body.(writeCloser); ok {
		return &keptConnection{keptStream{kept, writer}, half}
	}
	return &keptStream{kept, writer}
}

// bound lets cancel follow the context of the call, and returns what ends both.
func (c *Call) bound(cancel context.CancelFunc) context.CancelFunc {
	forget := context.AfterFunc(c.limited, cancel)
	return func() {
		forget()
		cancel()
		if c.cancel != nil {
			c.cancel()
		}
	}
}

// A keptBody is a body with the context that it is read through.
type keptBody struct {
	io.ReadCloser
	call    Call // as it was before it was settled
	release context.CancelFunc
}

func (b *keptBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == nil || err == io.EOF {
		return n, err
	}
	return n, b.call.late(err)
}

func (b *keptBody) Close() error {
	defer b.release() // not before, so that what is pending is closed rather than cut off
	return b.ReadCloser.Close()
}

// late returns what a failed Read of a body says: a [*TimeoutError] if the limit has run out.
func (c *Call) late(err error) error {
	if c.limiter == nil || !c.ranOut() {
		return err
	}
	if cause := context.Cause(c.limited); cause != nil && cause != error(c.settings.cause) {
		return err // closed before the limit was over
	}
	if err == error(c.settings.cause) {
		return err
	}
	return c.limiter.timeout(c.settings.Config, err)
}

// A keptStream is a body that can be written to.
type keptStream struct {
	*keptBody
	io.Writer
}

// A keptConnection is a body that can be written to, to an end of its own.
type keptConnection struct {
	keptStream
	writeCloser
}

type writeCloser interface{ CloseWrite() error }
