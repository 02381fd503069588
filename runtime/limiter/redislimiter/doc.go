// Package redislimiter is a rate limiter that a whole fleet shares through Redis: Redisson's RRateLimiter for Go, on a
// layout of its own. A limit of `rate` permits in an `interval` holds for any stretch of time of that length, over all
// processes. Each permit comes back one interval after it was taken. With 10 permits a second, of which
//
//	at        0 ms   200 ms   700 ms    1000   1200   1700 ms
//	taken     4      3        3
//	back                                4      3      3
//
// A [RateLimiter] is used by hand:
//
//	l, err := redislimiter.New(client, "payments",
//		redislimiter.WithLimitForPeriod(1000), redislimiter.WithLimitRefreshPeriod(time.Second))
//	...
//	err = l.Acquire(ctx, 1)
//
// [Backend] makes it the decision behind a rate limiter of package limiter, and so behind annotations and files that
// say backend=redis. The client is any redis.UniversalClient: of one node, of Sentinel or of Cluster. It stays the
// caller's.
//
// # What is exact
//
// The time is the server's, read inside the script, so that the clocks of clients do not matter. When it steps back,
// nothing that was granted is granted again, and time goes on from where it was. Where the rate or the milliseconds of
// the interval are at most 1024, stamps are the millisecond in which a permit was taken, as Redisson has it, and waits
// are exact. Else there are 1024 buckets in an interval, and a permit is never back early, and at most one bucket late.
// Nothing else is rounded: what is free is the rate less what is in use.
//
// # Keys
//
// A limiter is one key, "resil:{name}", at most 14 KB under any load and 117 bytes when it is idle. Braces and percent
// signs of the name are escaped, so that the whole name is the hash tag of Redis Cluster. A PER_CLIENT limit has one
// key more for each client, a limiter with several limits one for each, one with shards one set for each shard. Every
// key has a time to live, which use renews when less than three quarters are left. It is never so short that it would
// cut a window.
//
// A limiter that was made with a rate brings it along: it tells Redis once, when it is used first, and makes itself
// anew when Redis has lost it, with nothing in use. One without a rate uses what [RateLimiter.TrySetRate] or
// [RateLimiter.SetRate] of whoever has written, and else gets [ErrNotInitialized]. A key that holds something else is
// left alone: [ErrForeignKey]. State of a version that it does not know counts as lost.
//
// # Waiting and load
//
// Acquisitions of one process stand in one line for each limiter. A call takes along all that stand there, so that
// calls grow with the round trip and not with the number of goroutines; alone, an acquisition does not wait for
// company. Those who wait for permits are served in the order in which they came: nobody overtakes them, not even who
// wants less or does not wait. Only the first asks Redis, when its permits are back. Between processes there is no
// order. Who gives up, because its context ends, gives back what it may have got. What cannot be had in time is refused
// at once.
//
// Where one node is not enough there are [WithLease], which takes permits in advance, and [WithShards], which spreads a
// limit over several keys. Neither lets more pass than the limit. Raising the number of shards is safe at any time;
// when it is lowered, up to twice the limit may pass within one interval, until all processes know. Permits of a lease
// count from when they could be used last, so that they and what is taken just after them are back up to 100 ms later.
//
// # Faults
//
// An acquisition is sent once: go-redis does not repeat it when the answer does not come, whatever its MaxRetries. A
// server that has forgotten the script says so before it does anything, and gets its text. Every call is answered
// within [WithCallTimeout], also if the server stands still and the client's own timeouts are longer or not set; the
// client's goroutine then ends by those. With ContextTimeoutEnabled in the client's options it keeps to the time
// itself, so that a lone call needs no goroutine of its own and is faster; if its context is cancelled once it is under
// way, the answer is waited for. After three failures in a row calls are refused without asking, and one of them tries
// again after 100 ms, later each second.
//
//	error                 means                                             taken
//	ErrUnavailable        not sent, or the server said that it can't now    nothing
//	ErrUnknownOutcome     sent, and no answer                               perhaps; back after one interval
//	ErrNotInitialized     there is no rate                                  nothing
//	ErrExceedsRate        more than will ever be there                      nothing
//	ErrPermits            a number out of range                             nothing
//	ErrForeignKey         the key is somebody else's                        nothing
//	ErrNoClientID         a PER_CLIENT limit without WithClientID           nothing
//
// Behind Backend the first two are what [limiter.OnUnavailable] decides about. When a master fails, Redis may lose what
// it had not sent to its replica yet, and so may the limit: as many permits as were taken in that time can be taken
// again.
//
// # Where it differs from Redisson
//
//	                       RRateLimiter                          here
//	clock                  the client's                          the server's
//	time to live           none unless asked for                 always
//	release                adds permits, at most to the rate     takes the newest out of use
//	waiting                each waiter asks, in no order         one asks for all, in order
//	n < 1                  may be granted                        ErrPermits; Release takes 0
//	availablePermits       writes                                writes nothing
//	PER_CLIENT             by instance, random                   by an id that the caller gives
//	rate of a live limiter setRate drops what is in use          so does SetRate; KeepState does not
//	several limits         several limiters, several calls       WithLimits, all or nothing
package redislimiter
