// Package misses has every kind of near miss that can be fixed.
package misses

import (
	"context"
	"errors"
	"io"
)

var ErrNotFound = errors.New("not found")

func answer(ctx context.Context, err error) (int, error) { return 0, err }

// resil:retry // want `"// resil:retry" is a plain comment and no directive; write "//resil:retry"`
type Spaced interface {
	//resil:circuitbreaker
	Do() error
}

type Spelling interface {
	//Resil:retry // want `"//Resil:retry" is a plain comment and no directive; write "//resil:retry"`
	A() error
	//resil:CircuitBreaker name=b // want `"//resil:CircuitBreaker" is a plain comment and no directive`
	B() error
	//resil: retry maxAttempts=2 // want `"//resil: retry" is a plain comment and no directive`
	C() error
	/*resil:retry maxAttempts=2*/ // want `"/\*resil:retry" is a plain comment and no directive`
	D() error
	//resil:circutbreaker // want `unknown directive "circutbreaker"; did you mean "circuitbreaker"\?`
	E() error
	//resil:retry maxAttemps=2 // want `unknown key "maxAttemps"; did you mean "maxAttempts"\?`
	F() error
	//resil:circuitbreaker slidingWindowType=count_based // want `slidingWindowType is count_based; did you mean COUNT_BASED\?`
	G() error
	//resil:retry name="a b" // want `name="a b" is not written as one argument; write "name=a b"`
	H() error
	//resil:retry retryExceptions=ErrNotFound // want `unknown key "retryExceptions"; here it is "retryErrors"`
	I() error
	//resil:retry failAfterMaxAttempts=no // want `failAfterMaxAttempts is no; write false`
	J() error
	//resil:timelimiter timeoutDuration=5sec // want `timeoutDuration is 5sec, which is no duration; write 5s`
	K(ctx context.Context) error
	//resil:retry ignoreErrors=ErrNotFound, io.EOF // want `ignoreErrors=ErrNotFound, io.EOF is not written as one argument`
	L() error
	//resil:order retry,circuitBraker // want `unknown policy "circuitBraker"; did you mean "circuitbreaker"\?`
	//resil:retry
	//resil:circuitbreaker
	M() error
}

type Names interface {
	//resil:retry fallback=anser // want `fallback "anser" does not exist; did you mean "answer"\?`
	A(ctx context.Context) (int, error)
	//resil:retry retryErrors=ErrNotFond // want `retryErrors=ErrNotFond: ErrNotFond is not declared in misses; did you mean ErrNotFound\?`
	B(ctx context.Context) (int, error)
	//resil:retry retryErrors=io.ErrUnexpectedEof // want `retryErrors=io.ErrUnexpectedEof: ErrUnexpectedEof is not declared in io; did you mean ErrUnexpectedEOF\?`
	C(ctx context.Context) (int, error)
	//resil:retry name=d-{skuu} // want `D has no parameter skuu; did you mean sku\?`
	D(ctx context.Context, sku string) error
	//resil:retry name=e-{Tennant} // want `E has no parameter Tennant; did you mean {tenant}\?`
	E(ctx context.Context, sku string) error
	//resil:retry name=f-{keyof(sku)} // want `name "keyof" does not exist; did you mean "keyOf"\?`
	F(ctx context.Context, sku string) error
}

func keyOf(sku string) string { return sku }

type Torn interface {
	//resil:retry // want `//resil:retry stands alone; put it directly above method A, without a blank line`

	A() error
	//resil:retry // want `//resil:retry stands alone; put it directly above method B, without a blank line`

	// B is documented.
	B() error
}

//resil:retry // want `//resil:retry stands alone; put it directly above type Whole, without a blank line`

// Whole is torn from its directive.
type Whole interface{ Do() error }

var _ io.Reader
