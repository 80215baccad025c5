package format

import (
	"math"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	_ "pmtools/test/env"
)

// TestAppendAtom compares with the output of PCP 7.2, and the table of values.md V8.1.
func TestAppendAtom(t *testing.T) {
	digits := strings.Repeat("0123456789", 4)
	bytes := "\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc"
	minus5 := ^uint64(4)
	tests := []struct {
		v    pcp.Value
		want string
	}{
		{pcp.Value{}, "<null>"},
		{pcp.WordValue(pcp.Int32, minus5), "-5"},
		{pcp.WordValue(pcp.Uint32, 4294967291), "4294967291"},
		{pcp.WordValue(pcp.Int64, minus5), "-5"},
		{pcp.WordValue(pcp.Uint64, minus5), "18446744073709551611"},
		{pcp.FloatValue(0.1), "1.000000e-01"},
		{pcp.FloatValue(1e-40), "9.999946e-41"},
		{pcp.FloatValue(float32(math.Copysign(0, -1))), "-0.000000e+00"},
		{pcp.FloatValue(float32(math.Inf(-1))), "-inf"},
		{pcp.DoubleValue(0), "0.000000e+00"},
		{pcp.DoubleValue(1e300), "1.000000e+300"},
		{pcp.DoubleValue(123456789), "1.234568e+08"},
		{pcp.DoubleValue(-2.5), "-2.500000e+00"},
		{pcp.DoubleValue(math.Inf(1)), "inf"},
		{pcp.DoubleValue(math.NaN()), "nan"},
		{pcp.BlobValue(pcp.String, nil), `""`},
		{pcp.BlobValue(pcp.String, []byte("a\"b\nc")), "\"a\"b\nc\""},
		{pcp.BlobValue(pcp.String, []byte(digits[:37])), `"0123456789012345678901234567890123456"`},
		{pcp.BlobValue(pcp.String, []byte(digits[:38])), `"0123456789012345678901234567890123..."`},
		{pcp.BlobValue(pcp.String, []byte(digits)), `"0123456789012345678901234567890123..."`},
		{pcp.BlobValue(pcp.Aggregate, nil), "[type=AGGREGATE len=0]"},
		{pcp.BlobValue(pcp.Aggregate, []byte(bytes[:4])), "[type=AGGREGATE len=4] 00112233"},
		{pcp.BlobValue(pcp.Aggregate, []byte(bytes[:5])), "[type=AGGREGATE len=5] 00112233 44"},
		{pcp.BlobValue(pcp.Aggregate, []byte(bytes[:12])), "[type=AGGREGATE len=12] 00112233 44556677 8899aabb"},
		{pcp.BlobValue(pcp.Aggregate, []byte(bytes)), "[type=AGGREGATE len=13] 00112233 44556677 8899aabb ..."},
		{pcp.BlobValue(pcp.Event, []byte("\xff\xff\xff\xff")), "[-1 event records]"},
		{pcp.BlobValue(pcp.Event, []byte("\x00\x00\x00\x00")), "[0 event records]"},
		{pcp.BlobValue(pcp.Event, []byte("\x00\x00\x00\x01")), "[1 event record]"},
		{pcp.BlobValue(pcp.HighResEvent, []byte("\x00\x00\x00\x02....")), "[2 event records]"},
		{pcp.BlobValue(pcp.HighResEvent, []byte("\x00\x00")), "[0 event records]"},
		{pcp.BlobValue(pcp.NoSupport, nil), "Error: unexpected type: Not Supported"},
		{pcp.BlobValue(pcp.Unknown, nil), "Error: unexpected type: Unknown"},
		{pcp.BlobValue(pcp.Type(12), nil), "Error: unexpected type: Illegal type=12"},
		{pcp.BlobValue(pcp.Type(-2), nil), "Error: unexpected type: Illegal type=-2"},
	}
	for _, tt := range tests {
		if got := string(AppendAtom([]byte("="), tt.v)); got != "="+tt.want {
			t.Errorf("%v: got %q, want %q", tt.v, got, "="+tt.want)
		}
	}
}
