package format

import (
	"math"
	"testing"
	"time"

	"pmtools/lib/pcp"
)

func TestAppendExact(t *testing.T) {
	for _, test := range []struct {
		name      string
		v         pcp.Value
		precision int
		exact     string
		json      string
	}{
		{"unset", pcp.Value{}, -1, "", "null"},
		{"integer", pcp.WordValue(pcp.Int64, 1<<63|1<<62), 2, "-4611686018427387904", "-4611686018427387904"},
		{"unsigned", pcp.WordValue(pcp.Uint64, math.MaxUint64), -1, "18446744073709551615", "18446744073709551615"},
		{"double", pcp.DoubleValue(0.1), -1, "0.1", "0.1"},
		{"float", pcp.FloatValue(0.1), -1, "0.1", "0.1"},
		{"digits", pcp.DoubleValue(2. / 3), 3, "0.667", "0.667"},
		{"negative", pcp.WordValue(pcp.Int32, math.MaxUint64), -1, "-1", "-1"},
		{"integer with digits", pcp.WordValue(pcp.Uint64, 5), 3, "5", "5"},
		{"third", pcp.DoubleValue(1.0 / 3), -1, "0.3333333333333333", "0.3333333333333333"},
		{"zero", pcp.DoubleValue(0), -1, "0", "0"},
		{"large", pcp.DoubleValue(1e20), -1, "100000000000000000000", "100000000000000000000"},
		{"larger", pcp.DoubleValue(1e21), -1, "1e+21", "1e+21"},
		{"small", pcp.DoubleValue(1e-6), -1, "0.000001", "0.000001"},
		{"smaller", pcp.DoubleValue(-1e-7), -1, "-1e-07", "-1e-07"},
		{"largest", pcp.DoubleValue(math.MaxFloat64), -1, "1.7976931348623157e+308", "1.7976931348623157e+308"},
		{"no number", pcp.DoubleValue(math.NaN()), -1, "NaN", "null"},
		{"aggregate", pcp.BlobValue(pcp.Aggregate, []byte{0xde, 0xad, 0xbe, 0xef, 1}), -1, "[deadbeef01]", `"[deadbeef01]"`},
		{"infinite", pcp.DoubleValue(math.Inf(1)), -1, "+Inf", "null"},
		{"string", pcp.BlobValue(pcp.String, []byte("a \"b\"\n\x00")), -1, "a \"b\"\n", `"a \"b\"\n"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := string(AppendExact(nil, test.v, test.precision, time.UTC)); got != test.exact {
				t.Errorf("AppendExact: %q, want %q", got, test.exact)
			}
			if got := string(AppendJSON(nil, test.v, test.precision, time.UTC)); got != test.json {
				t.Errorf("AppendJSON: %s, want %s", got, test.json)
			}
		})
	}
}
