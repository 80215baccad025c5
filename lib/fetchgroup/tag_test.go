package fetchgroup

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pmtools/lib/pcp"
)

// TestTags reads tags.
func TestTags(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"disk.dev.read", "disk.dev.read"},
		{"disk.dev.read,rate", "disk.dev.read scale=rate@14"},
		{"disk.dev.read,instant,optional", "disk.dev.read scale=instant@14 optional"},
		{"mem.freemem,unit=Gbyte", "mem.freemem scale=Gbyte@17"},
		{"x,unit=temperature (C),optional", "x scale=temperature (C)@7 optional"},
		{"x,unit=10 mbyte / min", "x scale=10 mbyte / min@7"},
		{"kernel.all.load[1 minute]", "kernel.all.load [1 minute]@16"},
		{"x[a,rate]", "x [a,rate]@2"},
		{"x[a,b],rate", "x [a,b]@2 scale=rate@7"},
		{"=min(a, b)", "=min(a, b)"},
		{"=100 * a / b,unit=1,optional", "=100 * a / b scale=1@18 optional"},
		{"=a, b", "=a, b"},
		{",instance", "instance"},
		{",time", "time"},
		{"", "0: a metric is missing"},
		{",rate", "0: a metric is missing"},
		{"=", "1: an expression is missing"},
		{"[x]", "0: a metric is missing"},
		{"x[]", "2: an instance is missing"},
		{"x[y", "3: a ] is missing"},
		{"x,speed", `2: unknown option "speed": rate, instant, unit=UNITS, optional, instance and time are known`},
		{"x,rate,instant", `2: "rate" beside "instant": a value has one scale`},
		{"x,unit=", "2: unit= without units; a number without dimension is unit=1"},
		{"x,unit=furlong", `7: units "furlong": unrecognized or duplicate base unit`},
		{"x,time", "0: the options instance and time stand alone"},
		{",time,instance", "0: the options instance and time stand alone"},
	} {
		parsed, err := parseTag(tt.text)
		if got := tagText(parsed, err); got != tt.want {
			t.Errorf("%q: got  %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

// tagText shows the result of parseTag.
func tagText(t tag, err error) string {
	if bad, ok := errors.AsType[*tagError](err); ok {
		return fmt.Sprintf("%d: %v", bad.at, bad)
	}
	text := t.metric
	if t.expr != "" {
		text = "=" + t.expr
	}
	if t.instance != "" {
		text += fmt.Sprintf(" [%s]@%d", t.instance, t.atInstance)
	}
	if t.scale != "" {
		text += fmt.Sprintf(" scale=%s@%d", t.scale, t.atScale)
	}
	for word, on := range map[string]bool{"optional": t.optional, "instance": t.isInstance, "time": t.isTime} {
		if on {
			text += " " + word
		}
	}
	return strings.TrimSpace(text)
}

// FuzzTag reads any tag. Parts and mistakes are in the text at their offsets.
func FuzzTag(f *testing.F) {
	for _, text := range []string{"disk.dev.read,rate", "kernel.all.load[1 minute]", "=min(a, b),unit=1", ",instance", "x,unit=temperature (C)", "x[a,b],optional,rate", "=", "x[", "x,unit=,time"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := parseTag(text)
		if bad, ok := errors.AsType[*tagError](err); ok {
			if bad.at < 0 || bad.at > len(text) || bad.msg == "" {
				t.Fatalf("%q: %d %q", text, bad.at, bad.msg)
			}
			return
		}
		if !strings.HasPrefix(text[parsed.atInstance:], parsed.instance) || !strings.HasPrefix(text[parsed.atScale:], parsed.scale) {
			t.Fatalf("%q: instance %q at %d, scale %q at %d", text, parsed.instance, parsed.atInstance, parsed.scale, parsed.atScale)
		}
		if parsed.metric == "" == (parsed.expr == "") && !parsed.isInstance && !parsed.isTime {
			t.Fatalf("%q: metric %q, expression %q", text, parsed.metric, parsed.expr)
		}
	})
}

// FuzzScale makes conversions by any scale text. They do not panic, and a value that is there gives
// a value or a code.
func FuzzScale(f *testing.F) {
	for _, scale := range []string{"", "rate", "instant", "kbyte/sec", "count / 24 hours", "1", "100", "sec/sec", "time-9", "temperature (F)"} {
		f.Add(scale, uint32(0x10000000), uint64(1000), int32(5))
	}
	f.Fuzz(func(t *testing.T, scale string, units uint32, word uint64, out int32) {
		for _, sem := range []pcp.Sem{pcp.Counter, pcp.Instant} {
			c, err := newConversion(pcp.Desc{Type: pcp.Uint64, Sem: sem, Units: pcp.UnitsOf(units)}, pcp.Type(out), scale)
			if err != nil {
				continue
			}
			v := pcp.WordValue(pcp.Uint64, word)
			got, code := c.instant(v, nil)
			if c.rate {
				got, code, _ = c.perSecond(pcp.WordValue(pcp.Uint64, word/2), v, 0.5, false, nil)
			}
			if code == 0 && got.Type() != pcp.Type(out) {
				t.Fatalf("%q: a value of type %v", scale, got.Type())
			}
		}
	})
}
