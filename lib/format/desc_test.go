package format

import (
	"testing"

	"pmtools/lib/pcp"
)

func TestAppendDesc(t *testing.T) {
	tests := []struct {
		name    string
		desc    pcp.Desc
		decimal bool
		want    string
		line    string
	}{
		{
			name: "counter",
			desc: pcp.Desc{Type: pcp.Uint64, InDom: 0x7400001, Sem: pcp.Counter, Units: pcp.UnitsOf(0x1f023000)},
			want: "    Data Type: 64-bit unsigned int  InDom: 29.1 0x7400001\n    Semantics: counter  Units: Mbyte / sec\n",
			line: "m.n\t64-bit unsigned int\t29.1 0x7400001\tcounter\tMbyte / sec\n",
		},
		{
			name: "unknown type and semantics",
			desc: pcp.Desc{Type: 11, InDom: pcp.NullInDom, Sem: 2},
			want: "    Data Type: ??? (11)  InDom: PM_INDOM_NULL 0xffffffff\n    Semantics: ??? (2)  Units: none\n",
			line: "m.n\t??? (11)\tPM_INDOM_NULL 0xffffffff\t??? (2)\tnone\n",
		},
		{
			name:    "instance domain in decimal",
			desc:    pcp.Desc{Type: pcp.Int32, InDom: 0x7400002, Sem: pcp.Instant},
			decimal: true,
			want:    "    Data Type: 32-bit int  InDom: 29.2 = 121634818 = 0x7400002\n    Semantics: instant  Units: none\n",
			line:    "m.n\t32-bit int\t29.2 = 121634818 = 0x7400002\tinstant\tnone\n",
		},
		{
			name: "not supported",
			desc: pcp.Desc{Type: pcp.NoSupport, InDom: pcp.NullInDom, Sem: pcp.Counter, Units: pcp.UnitsOf(0x00100000)},
			want: "    Data Type: Not Supported  InDom: PM_INDOM_NULL 0xffffffff\n    Semantics: counter  Units: count\n",
			line: "m.n\tNot Supported\tPM_INDOM_NULL 0xffffffff\tcounter\tcount\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(AppendDesc(nil, &tt.desc, tt.decimal)); got != tt.want {
				t.Errorf("AppendDesc gives %q, want %q", got, tt.want)
			}
			if got := string(AppendDescLine(nil, "m.n", &tt.desc, tt.decimal)); got != tt.line {
				t.Errorf("AppendDescLine gives %q, want %q", got, tt.line)
			}
		})
	}
}
