package config

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const zeroDuration = time.Duration(0)

// units are those of durations, with other words for them.
var units = map[string]string{
	"nanos": "ns", "nanoseconds": "ns", "micros": "us", "microseconds": "us", "milli": "ms", "millis": "ms",
	"msec": "ms", "milliseconds": "ms", "sec": "s", "secs": "s", "second": "s", "seconds": "s", "min": "m", "mins": "m",
	"minute": "m", "minutes": "m", "hr": "h", "hour": "h", "hours": "h", "day": "d", "days": "d",
}

var (
	milliseconds = regexp.MustCompile(`^[+-]?[0-9]+$`)
	inDays       = regexp.MustCompile(`^([+-]?[0-9]+)d$`)
	inWords      = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)$`)
	iso8601      = regexp.MustCompile(`^([+-]?)P(?:([0-9]+)D)?(?:T(?:([0-9]+)H)?(?:([0-9]+)M)?` +
		`(?:([0-9]+(?:\.[0-9]{1,9})?)S)?)?$`)
)

// parseDuration reads a duration as Spring does, or as Go does.
func parseDuration(text string) (d time.Duration, ok bool, hint string) {
	lower := strings.ToLower(text)
	switch {
	case milliseconds.MatchString(text):
		lower += "ms"
	case inDays.MatchString(lower):
		days, err := strconv.Atoi(inDays.FindStringSubmatch(lower)[1])
		if err != nil || days > math.MaxInt32 || days < math.MinInt32 {
			return 0, false, ""
		}
		lower = strconv.Itoa(24*days) + "h"
	case iso8601.MatchString(strings.ToUpper(text)):
		parts := iso8601.FindStringSubmatch(strings.ToUpper(text))
		if strings.HasSuffix(strings.ToUpper(text), "T") || strings.HasSuffix(strings.ToUpper(text), "P") {
			return 0, false, ""
		}
		lower = parts[1]
		if days, err := strconv.Atoi(parts[2]); err == nil && days <= math.MaxInt32 {
			lower += strconv.Itoa(24*days) + "h"
		} else if parts[2] != "" {
			return 0, false, ""
		}
		for i, unit := range []string{"h", "m", "s"} {
			if part := parts[3+i]; part != "" {
				lower += part + unit
			}
		}
	}
	d, err := time.ParseDuration(lower)
	if err == nil {
		return d, true, ""
	}
	if parts := inWords.FindStringSubmatch(lower); parts != nil {
		unit, known := units[parts[2]]
		if !known {
			unit = parts[2]
		}
		if meant := parts[1] + unit; meant != lower {
			if _, ok, _ := parseDuration(meant); ok {
				return 0, false, meant
			}
		}
	}
	return 0, false, ""
}
