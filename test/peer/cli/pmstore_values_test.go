package cli

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// writable are metrics of each type that takes values, and one with instances.
var writable = []string{
	"sample.long.write_me", "sample.ulong.write_me", "sample.longlong.write_me", "sample.ulonglong.write_me",
	"sample.float.write_me", "sample.double.write_me", "sample.string.write_me", "sample.bin",
}

// edges are numbers where types end.
var edges = []string{
	"0", "1", "127", "255", "32767", "65535", "2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807",
	"9223372036854775808", "18446744073709551615", "18446744073709551616", "99999999999999999999999", "1.17549435e-38", "1.1754943e-38",
	"3.4028234e38", "3.4028235e38", "3.4028236e38", "3.5e38", "1e-45", "1e-46", "2.2250738585072014e-308", "2.225e-308", "5e-324", "1e-324",
	"1.7976931348623157e308", "1.7976931348623159e308", "1e309", "1e99999", "0x7fffffff", "0x80000000", "0xffffffff", "0x100000000",
	"0x7fffffffffffffff", "0x8000000000000000", "0xffffffffffffffff", "0x10000000000000000", "0x1p3", "0x1.8p1", "0x.8", "0xg", "0x", "0X", "1e", "1e+", ".", "5.", ".5", "1.2.3",
	"inf", "INF", "Infinity", "infinit", "nan", "NaN", "nan(x)", "nan(", "NANx", "abc", "ff", "1x", "1_000", "1,5", "1 2", "", "'", `"`, "%d", "\x01", "é", "\xff",
}

// value returns a random text that may be a value: a number of any size and form, or nearly one.
func value(r *rand.Rand) string {
	var b strings.Builder
	if r.IntN(6) == 0 {
		b.WriteString([]string{" ", "\t", "\n", "  ", "\v", "\f", "\r", "\u00a0"}[r.IntN(8)])
	}
	if r.IntN(2) == 0 {
		b.WriteString([]string{"-", "-", "+", "--", "- ", "+-"}[min(r.IntN(9), 5)])
	}
	switch r.IntN(8) {
	case 0, 1, 2:
		b.WriteString(edges[r.IntN(len(edges))])
	case 3:
		b.WriteString(strconv.FormatUint(r.Uint64()>>r.IntN(64), 10))
	case 4:
		fmt.Fprintf(&b, []string{"0x%x", "0X%X", "0x%04x", "%x", "0%o"}[r.IntN(5)], r.Uint64()>>r.IntN(64))
	case 5:
		b.WriteString(strconv.FormatFloat(math.Float64frombits(r.Uint64()), "eEfg"[r.IntN(4)], r.IntN(20), 64))
	case 6:
		b.WriteString(strconv.FormatFloat(float64(math.Float32frombits(r.Uint32())), 'g', -1, 32))
	default:
		for range r.IntN(6) {
			b.WriteByte("0123456789.eExX-+ naif"[r.IntN(22)])
		}
	}
	if r.IntN(8) == 0 {
		b.WriteString([]string{" ", "\n", "x", "0", ".", "e5", "L", "f"}[r.IntN(8)])
	}
	return b.String()
}

// TestStoreValues compares stores of values of all kinds to metrics of all types, with what the
// metrics have afterwards.
func TestStoreValues(t *testing.T) {
	s := harness.NewStand(t)
	s.Live(t)
	r := rand.New(rand.NewPCG(20, 26))
	store := func(metric, v string) {
		options := []string{"", "", "-F", "-f", "-fF"}[r.IntN(5)]
		c := harness.Command{Args: append(append([]string{"pmstore"}, strings.Fields(options)...), "--", metric, v)}
		if s.Lines%8 == 7 {
			s.Compare(c, writable...)
			return
		}
		s.Compare(c) // the next store to the metric shows what it has
	}
	for _, v := range edges {
		for _, m := range writable {
			store(m, v)
		}
		store(writable[r.IntN(len(writable))], "-"+v)
	}
	for range 600 {
		store(writable[r.IntN(len(writable))], value(r))
	}
	s.Report(t)
}
