package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTenantsShowsWhatItSays reads what the program prints.
func TestTenantsShowsWhatItSays(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out))
	text := regexp.MustCompile(`  +`).ReplaceAllString(out.String(), " ")
	require.Equal(t, `
Every second call of two tenants fails. The file lets tenant-new fail more often than others.
 tenant-a 2 answered, 2 failed, 1 refused by the circuit breaker; its circuit breaker is OPEN
 tenant-new 3 answered, 2 failed; its circuit breaker is CLOSED
 tenant-b 5 answered; its circuit breaker is CLOSED

Each has 5 permits a minute, and tenant-gold has 20 by the file.
 tenant-c 5 answered, 3 over the limit
 tenant-d 5 answered, 3 over the limit
 tenant-gold 8 answered

The catalogs of two regions have circuit breakers of their own. That of eu fails.
 tenant-b, eu 2 answered, 2 failed, 1 refused by the circuit breaker; its circuit breaker is OPEN
 tenant-b, us 5 answered; its circuit breaker is CLOSED

There is room for 100. Of 1000 ids that somebody makes up, most share catalog-other and its permits.
 made-up-... 97 answered, 903 over the limit
 tenant-gold 8 answered
 circuitbreaker 101 instances of catalog; 908 calls went to catalog-other
 ratelimiter 101 instances of catalog; 908 calls went to catalog-other
`, text)
}
