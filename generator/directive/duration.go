package directive

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// units are units of time as people write them.
var units = map[string]time.Duration{
	"ns": time.Nanosecond, "nanos": time.Nanosecond, "nanoseconds": time.Nanosecond,
	"us": time.Microsecond, "micros": time.Microsecond, "microseconds": time.Microsecond,
	"ms": time.Millisecond, "msec": time.Millisecond, "millis": time.Millisecond, "milliseconds": time.Millisecond,
	"s": time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "min": time.Minute, "mins": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hr": time.Hour, "hour": time.Hour, "hours": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour,
}

var (
	plainNumber = regexp.MustCompile(`^\d+$`)
	numberUnit  = regexp.MustCompile(`^(\d+(?:\.\d+)?)\s*([a-zA-Z]+)$`)
	iso8601     = regexp.MustCompile(`^(?i)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$`)
)

// durationMeant returns the Go duration that the text was meant to be, or "" where it can't be known.
func durationMeant(text string) string {
	switch {
	case plainNumber.MatchString(text):
		// A number without a unit is in milliseconds where people come from. Few write so few of them.
		d, ok := number(text, time.Millisecond)
		if !ok {
			return ""
		}
		if d < 100*time.Millisecond {
			return text + "s or " + text + "ms"
		}
		return duration(d)
	case numberUnit.MatchString(text):
		parts := numberUnit.FindStringSubmatch(text)
		unit, known := units[strings.ToLower(parts[2])]
		if d, ok := number(parts[1], unit); known && ok {
			return duration(d)
		}
	case iso8601.MatchString(text):
		var sum time.Duration
		parts := iso8601.FindStringSubmatch(text)
		for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second} {
			if parts[i+1] == "" {
				continue
			}
			d, ok := number(parts[i+1], unit)
			if !ok || sum > math.MaxInt64-d {
				return ""
			}
			sum += d
		}
		if sum > 0 {
			return duration(sum)
		}
	}
	return ""
}

// number returns text times unit, if that is a duration.
func number(text string, unit time.Duration) (time.Duration, bool) {
	f, err := strconv.ParseFloat(text, 64)
	product := math.Round(f * float64(unit))
	if err != nil || !(product >= 0 && product < math.MaxInt64) {
		return 0, false
	}
	return time.Duration(product), true
}

// duration is d.String without the zeros behind it: 5m, not 5m0s.
func duration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
