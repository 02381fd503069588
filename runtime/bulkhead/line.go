package bulkhead

// A line holds those who wait, in the order in which they came; any of them can leave it at any time. Its users guard it,
// and the links of who stands in it.
type line[T any, P linked[T]] struct {
	first, last *T
	length      int
}

// links are what a type embeds to stand in a line.
type links[T any] struct{ next, prev *T }

func (l *links[T]) neighbours() *links[T] { return l }

type linked[T any] interface {
	*T
	neighbours() *links[T]
}

// add puts t at the end.
func (q *line[T, P]) add(t *T) {
	P(t).neighbours().prev = q.last
	if q.last == nil {
		q.first = t
	} else {
		P(q.last).neighbours().next = t
	}
	q.last = t
	q.length++
}

// remove takes t out.
func (q *line[T, P]) remove(t *T) {
	own := P(t).neighbours()
	if own.prev == nil {
		q.first = own.next
	} else {
		P(own.prev).neighbours().next = own.next
	}
	if own.next == nil {
		q.last = own.prev
	} else {
		P(own.next).neighbours().prev = own.prev
	}
	*own = links[T]{}
	q.length--
}
