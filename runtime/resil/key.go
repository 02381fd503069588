package resil

import (
	"hash/maphash"
	"strconv"
)

// maxValues is how many values a name can have.
const maxValues = 4

// A Key holds the values of a call that its instances' names contain, in the order in which the names ask for them. It
// is comparable, and making one allocates nothing. Generated code makes it with [KeyOf].
type Key struct {
	values [maxValues]Value
	count  int
}

// A Value is one value of a [Key]: made by [Text] or [Int], or [Absent].
type Value struct {
	text   string
	number uint64
	kind   valueKind
}

type valueKind uint8

const (
	absent   valueKind = iota // the zero Value
	textual                   // text, which is not empty
	natural                   // number
	negative                  // int64(number), which is below zero
)

// Absent is the value of what is not there, such as the field of a nil pointer. In a name it reads "default".
var Absent Value

// KeyOf returns the Key of these values, at most four. It panics if there are more, which generated code never has.
func KeyOf(values ...Value) Key {
	var k Key
	if len(values) > maxValues {
		panic("resil: a Key has at most four values")
	}
	k.count = copy(k.values[:], values)
	return k
}

// Text returns the value of a string. An empty one is [Absent].
func Text[S ~string](s S) Value {
	if s == "" {
		return Value{}
	}
	return Value{text: string(s), kind: textual}
}

// integer is every integer type.
type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// Int returns the value of an integer. In a name it is decimal, and the same as the [Text] of its digits.
func Int[N integer](n N) Value {
	if n < 0 {
		return Value{number: uint64(n), kind: negative}
	}
	return Value{number: uint64(n), kind: natural}
}

// longestInt is how many bytes the longest integer takes: -9223372036854775808.
const longestInt = 20

// digits writes an integer into buf.
func (v *Value) digits(buf *[longestInt]byte) []byte {
	if v.kind == negative {
		return strconv.AppendInt(buf[:0], int64(v.number), 10)
	}
	return strconv.AppendUint(buf[:0], v.number, 10)
}

// String returns the value as it stands in a name that takes it as it is; an absent one is empty.
func (v Value) String() string {
	if v.kind == natural || v.kind == negative {
		var buf [longestInt]byte
		return string(v.digits(&buf))
	}
	return v.text
}

// seed makes hashes that nobody outside can predict, so that hostile values do not meet in one place.
var seed = maphash.MakeSeed()

// hash returns the hash of the value's text; that of an absent one is that of its name.
func (v *Value) hash() uint64 {
	switch v.kind {
	case absent:
		return maphash.String(seed, defaultValue)
	case textual:
		return maphash.String(seed, v.text[:min(len(v.text), longestValue)]) // a longer one is found nowhere
	}
	var buf [longestInt]byte
	return maphash.Bytes(seed, v.digits(&buf))
}

// is reports whether the value's text is text; that of an absent one is its name.
func (v *Value) is(text string) bool {
	switch v.kind {
	case absent:
		return text == defaultValue
	case textual:
		return v.text == text
	}
	var buf [longestInt]byte
	return string(v.digits(&buf)) == text
}
