package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/resilgen/resilgen/bench/measure"
	"github.com/resilgen/resilgen/bench/page"
)

// report returns what the run found, as Markdown. Every sentence with a number in it is made from the run.
func (b *bench) report(all []*variant) string {
	var text strings.Builder
	fmt.Fprint(&text, "# Benchmarks of the Redis limiter\n\n<!-- Written by make bench-redis. -->\n\n"+
		"What it costs to take permits from a rate limit in Redis: ours, beside Redisson's algorithm as a script that is\n"+
		"called from Go, other Go libraries, and PING, the least that a round trip can cost. `make bench-redis` measures all\n"+
		"of it in one interleaved run and writes this page.\n\n")
	fmt.Fprintf(&text, "Measured on %s; Redis %s on the same machine, over loopback. Ratios travel better than\nnumbers; over "+
		"a real network the round trip weighs more, and combining gains more.\n\n", b.machine, b.version)
	b.writeFigures(&text)
	b.writeMethod(&text)
	for _, goroutines := range concurrencies {
		b.writeLoads(&text, all, goroutines)
	}
	b.writeScripts(&text, all)
	b.writeGrowth(&text)
	b.writeWaits(&text)
	return strings.TrimRight(text.String(), "\n") + "\n"
}

func (b *bench) writeFigures(w io.Writer) {
	t := page.Table{Header: []string{"", "in", "", "goal", "found", "reached"}, Text: 3}
	reached := 0
	figures := b.figures()
	for _, f := range figures {
		bound, answer := "at most", "no"
		if f.least {
			bound = "at least"
		}
		if f.reached() {
			answer = "yes"
			reached++
		}
		decimals := 3
		if f.found >= 100 {
			decimals = 0
		}
		t.Row(f.what, f.unit, bound, strconv.FormatFloat(f.target, 'g', 5, 64), page.Number(f.found, decimals), answer)
	}
	fmt.Fprintf(w, "## Figures\n\nReached: %d of %d.\n\n", reached, len(figures))
	t.Write(w)
}

func (b *bench) writeMethod(w io.Writer) {
	fmt.Fprintf(w, "## Method\n\n"+
		"There are %s. In each, every variant runs once with each number of goroutines, in a new order, for %s, on one\n"+
		"key, and every call is granted. Client and server share the machine. Numbers are medians of the rounds, and ratios are\n"+
		"taken within each round. Script time is what the server says it spent in scripts (INFO commandstats), CPU what its\n"+
		"main thread used (INFO cpu). Redisson's window holds as many acquisitions as said at each call, of which one expires;\n"+
		"its Java client was not run. GCRA in one key is a script that keeps one number. throttled gives up some calls when many\n"+
		"compete for a key; those count for nothing.\n\n", page.Plural(b.rounds, "round"), b.window)
	page.WriteModules(w, page.Modules("github.com/redis/go-redis", "github.com/go-redis/redis_rate",
		"github.com/throttled/throttled", "github.com/ulule/limiter"))
}

func (b *bench) writeLoads(w io.Writer, all []*variant, goroutines int) {
	t := page.Table{Header: []string{
		"", "", "permits/s", "x Redisson", "p50 µs", "p99 µs", "script µs", "Redis CPU µs/permit",
	}, Text: 2}
	for _, v := range all {
		get := func(value func(load) float64) float64 { return b.median(v.id, goroutines, value) }
		script := "-"
		if v.id != ping {
			script = page.Short(get(func(l load) float64 { return l.script }))
		}
		t.Row(v.library, v.setting,
			page.Number(get(func(l load) float64 { return l.perSecond }), 0),
			page.Number(b.ratio(v.id, redisson1, goroutines, func(l load) float64 { return l.perSecond }), 2),
			page.Short(get(func(l load) float64 { return l.p50 })), page.Short(get(func(l load) float64 { return l.p99 })),
			script, page.Short(get(func(l load) float64 { return l.cpu })))
	}
	fmt.Fprintf(w, "## %s, one key\n\n", strings.ToUpper(page.Plural(goroutines, "goroutine")[:1])+page.Plural(goroutines, "goroutine")[1:])
	t.Write(w)
}

func (b *bench) writeScripts(w io.Writer, all []*variant) {
	t := page.Table{Header: []string{"", "", "µs", "x GCRA", "replication bytes"}, Text: 2}
	for _, v := range all {
		if v.command == nil {
			continue
		}
		t.Row(v.library, v.setting, page.Number(measure.Median(b.script[v.id]), 2),
			page.Number(measure.Median(measure.Paired(b.script[v.id], b.script[gcra])), 2), page.Number(b.bytes[v.id], 0))
	}
	fmt.Fprintf(w, "## A grant inside the server\n\nThe script alone, sent %d at a time over one connection, and what one "+
		"grant writes for replicas.\n\n", pipelined)
	t.Write(w)
}

func (b *bench) writeGrowth(w io.Writer) {
	t := page.Table{Header: []string{"", "live acquisitions", "memory, bytes", "a grant, µs", "all expired, µs"}, Text: 1}
	for _, g := range b.ours {
		t.Row("resilgen", page.Number(g.live, 0), page.Number(g.memory, 0), page.Number(g.grant, 0), page.Number(g.sweep, 0))
	}
	for _, g := range b.redisson {
		t.Row("Redisson's script", page.Number(g.live, 0), page.Number(g.memory, 0), page.Number(g.grant, 0),
			page.Number(g.sweep, 0))
	}
	fmt.Fprintf(w, "## A full window\n\nThe memory of all keys of a limiter, a single grant, and the call that finds the whole "+
		"window expired, during\nwhich the server does nothing else. The longest of %d.\n\n", repeats)
	t.Write(w)
}

func (b *bench) writeWaits(w io.Writer) {
	t := page.Table{Header: []string{"", "calls for a grant", "grants of a goroutine", "longest wait, ms"}, Text: 1}
	for _, row := range []struct{ library, id string }{{"resilgen", ours}, {"Redisson's script", redisson1}} {
		found := b.wait[row.id]
		t.Row(row.library, page.Number(found.callsPerGrant, 2), fmt.Sprintf("%d to %d", found.least, found.most),
			strconv.FormatInt(found.longest.Milliseconds(), 10))
	}
	fmt.Fprintf(w, "## Waiting\n\n%d goroutines of one process block on %d permits in %s, which come back one after the other, for "+
		"%s.\n\n", waiters, waitRate, waitPeriod, waitLength)
	t.Write(w)
}
