package redislimiter

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/resilgen/resilgen/runtime/limiter"
)

const (
	defaultPrefix      = "resil:"
	defaultCallTimeout = 500 * time.Millisecond
	fallbackKeepAlive  = 24 * time.Hour // of limiters that nobody makes anew
	ownKeepAlive       = time.Hour      // of limiters made with a rate
	maxShards          = 1024
)

// An Option changes how limiters are made, by [New] or [Backend]; the last one given wins.
type Option func(*settings)

// settings is what options say.
type settings struct {
	config      *Config // nil: whoever calls TrySetRate or SetRate says
	rate        int64
	interval    time.Duration
	limits      []Limit
	rateType    RateType
	keepAlive   time.Duration
	clientID    string
	prefix      string
	prefixSet   bool
	callTimeout time.Duration
	onMismatch  limiter.OnRateMismatch
	unavailable limiter.OnUnavailable
	mismatched  listener
	shards      int
	lease       int64
	denialCache time.Duration
	redisson    bool          // Redisson's keys: see RedissonCompatible
	clock       func() string // the time for scripts; "" is the server's own
	gate        *gate         // shared by the limiters of a Backend
}

func newSettings(options []Option) *settings {
	s := &settings{prefix: defaultPrefix, callTimeout: defaultCallTimeout, clock: func() string { return "" }}
	for _, option := range options {
		option(s)
	}
	if s.redisson && !s.prefixSet {
		s.prefix = ""
	}
	return s
}

// WithLimitForPeriod sets how many permits there are in an interval. From 1 to 2147483647. With it, or [WithLimits],
// the limiter brings its rate with it, so that it needs no TrySetRate and makes itself anew when Redis has lost it.
func WithLimitForPeriod(n int) Option { return func(s *settings) { s.rate = int64(n) } }

// WithLimitRefreshPeriod sets the interval. Whole milliseconds, from 1 ms to 10 years.
func WithLimitRefreshPeriod(d time.Duration) Option { return func(s *settings) { s.interval = d } }

// WithLimits sets several limits, such as 5 a minute and 100 an hour, which are taken from together, all or nothing, in
// one call. From 1 to 16, in the same order everywhere. They come behind the one of WithLimitForPeriod, if that is
// given too.
func WithLimits(limits ...Limit) Option {
	return func(s *settings) { s.limits = append([]Limit(nil), limits...) }
}

// WithRateType sets whose the limit is. Default Overall.
func WithRateType(t RateType) Option { return func(s *settings) { s.rateType = t } }

// WithClientID sets who this is, for limits that are [PerClient]: those who give the same id share one. It should stay
// the same when the process starts again, as what it had taken would be forgotten otherwise; the name of a host or pod
// does well. Default empty: PerClient limits are an error.
func WithClientID(id string) Option { return func(s *settings) { s.clientID = id } }

// WithKeepAliveTime sets how long Redis keeps a limiter after it was used last. From the interval to 10 years; default
// 0, which means two intervals, and at least one hour.
func WithKeepAliveTime(d time.Duration) Option { return func(s *settings) { s.keepAlive = d } }

// WithKeyPrefix sets what keys begin with. It must hold no braces: the name is the hash tag. Default "resil:".
func WithKeyPrefix(prefix string) Option {
	return func(s *settings) { s.prefix, s.prefixSet = prefix, true }
}

// WithCallTimeout sets how long one call to Redis may take, from when it was asked for. It holds whatever the timeouts
// of the client are, also against a server that stands still. From 1 ms; default 500 ms.
func WithCallTimeout(d time.Duration) Option { return func(s *settings) { s.callTimeout = d } }

// WithOnRateMismatch sets whose rate counts when Redis has another one than this limiter brings with it. With
// [limiter.Overwrite], the default, Redis gets it once, when the limiter is used first; permits that are in use stay
// so. With [limiter.Adopt] that of Redis counts.
func WithOnRateMismatch(m limiter.OnRateMismatch) Option {
	return func(s *settings) { s.onMismatch = m }
}

// WithRateMismatchListener sets what is told of rates that differ. It runs on the goroutine that found out, while calls
// wait for it, and must not use the limiter.
func WithRateMismatchListener(receive func(RateMismatch)) Option {
	return func(s *settings) { s.mismatched = receive }
}

// WithOnUnavailable sets what becomes of calls while Redis does not answer, for limiters behind [Backend]. Default
// [limiter.Deny].
func WithOnUnavailable(u limiter.OnUnavailable) Option {
	return func(s *settings) { s.unavailable = u }
}

// WithShards spreads the limit over so many keys, in as many slots of a cluster, each of which has its part of the
// rate. All together never exceed it. A call may be refused although there is a permit left in a key that others have
// just taken from. From 1 to 1024, and at most the rate; the same everywhere, as other shards are another limit.
// Default 1.
func WithShards(n int) Option { return func(s *settings) { s.shards = n } }

// WithLease lets this process take up to n permits at once in advance, to hand them out without asking Redis. They are
// kept for a tenth of the interval at most, and never more than 100 ms; those that are left then, or at Close, are
// given back. The limit is never exceeded, as permits count as taken when they could be used last; other processes may
// have to wait for them as much longer. From 1 to a quarter of the rate; default 0: none.
func WithLease(n int) Option { return func(s *settings) { s.lease = int64(n) } }

// WithDenialCache lets the process refuse calls without asking Redis for up to d after Redis has refused one, as long
// as the permits cannot be back. Permits which another process releases, or a rate that it raises, are seen so much
// later. Default 0 for [New], and 20 ms for [Backend], where nobody releases permits.
func WithDenialCache(d time.Duration) Option { return func(s *settings) { s.denialCache = d } }

// complete checks the settings and builds the config of a limiter.
func (s *settings) complete(name string) error {
	var wrong []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Errorf(format, args...))
		}
	}
	check(name != "", "the name is empty; a limiter needs one")
	check(!strings.ContainsAny(s.prefix, "{}"), "the key prefix is %q; it must hold no braces, as the name is the hash tag", s.prefix)
	check(s.callTimeout >= time.Millisecond, "the call timeout is %v; it must be at least 1ms", s.callTimeout)
	check(s.onMismatch >= 0 && s.onMismatch <= limiter.Adopt, "onRateMismatch is %v; it must be OVERWRITE or ADOPT", s.onMismatch)
	check(s.unavailable >= 0 && s.unavailable <= limiter.Local, "onUnavailable is %v; it must be DENY, ALLOW or LOCAL", s.unavailable)
	check(s.shards >= 0 && s.shards <= maxShards, "there are %d shards; it must be from 1 to %d", s.shards, maxShards)
	check(s.denialCache >= 0, "the denial cache is %v; it must not be negative", s.denialCache)
	check(s.rateType != PerClient || s.clientID != "", "the rate type is PER_CLIENT, which needs WithClientID")
	if s.onMismatch == 0 {
		s.onMismatch = limiter.Overwrite
		if s.redisson {
			s.onMismatch = limiter.Adopt
		}
	}
	limits := s.limits
	if s.rate != 0 || s.interval != 0 {
		limits = append([]Limit{{s.rate, s.interval}}, limits...)
	}
	if s.config = nil; len(limits) > 0 {
		s.config = &Config{RateType: s.rateType, Rate: limits[0].Rate, Interval: limits[0].Interval,
			And: limits[1:], KeepAliveTime: s.keepAlive}
		if err := s.config.validate(); err != nil {
			wrong = append(wrong, err)
		} else {
			least := s.config.least()
			check(int64(s.shards) <= least, "there are %d shards; there must not be more than the rate, which is %d", s.shards, least)
			check(s.lease >= 0 && s.lease <= least/4, "the lease is %d; it must be from 0 to a quarter of the rate, which is %d",
				s.lease, least/4)
		}
	} else {
		check(s.keepAlive == 0, "there is a keep-alive time without a rate; give it to TrySetRate or SetRate")
		check(s.shards <= 1, "there are shards without a rate; give New the rate too")
		check(s.lease == 0, "there is a lease without a rate; give New the rate too")
	}
	if s.redisson {
		check(len(limits) <= 1 && s.shards <= 1, "Redisson's keys hold one limit in one place: leave WithLimits and WithShards out")
	}
	return errors.Join(wrong...)
}
