package main

import (
	"bufio"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pcp"
)

// textOf returns a reporter of live values with instances, and what it prints to.
func textOf(rate bool, precision, width int) (*textReporter, *strings.Builder) {
	out := new(strings.Builder)
	return &textReporter{clock: new(clock), out: bufio.NewWriter(out), rate: rate, precision: precision, width: width}, out
}

// TestLabels: the three styles, and what decides on them.
func TestLabels(t *testing.T) {
	tests := []struct {
		name      string
		rate      bool
		precision int
		width     int
		names     string // separated by commas
		want      string
	}{
		{"none", false, -1, 11, "", "\n"},
		{"values", false, -1, 6, "a,bc", "\n     a     bc \n"},
		{"values that fit", false, -1, 4, "abcd", "\nabcd \n"},
		{"values, cut", false, -1, 3, "abcd,x", "full label for instance[0]: abcd\nfull label for instance[1]: x\n\nabc   x \n"},
		{"rates over digits", true, -1, 8, "a,bcdef", "\n    a    bcdef    \n"},
		{"rates over the column", true, -1, 8, "a,bcdefg", "\n       a   bcdefg \n"},
		{"rates, cut", true, -1, 3, "abcd", "full label for instance[0]: abcd\n\nabc \n"},
		{"rates with a precision", true, 2, 8, "a", "\n       a \n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, out := textOf(tt.rate, tt.precision, tt.width)
			var cs []column
			for i, n := range strings.Split(tt.names, ",") {
				if n != "" {
					cs = append(cs, column{inst: int32(i), name: n})
				}
			}
			r.labels(cs)
			r.out.Flush()
			if out.String() != tt.want {
				t.Errorf("got %q, want %q", out, tt.want)
			}
		})
	}
}

// TestLabelsDecidedOnce: names that come later do not change the style.
func TestLabelsDecidedOnce(t *testing.T) {
	r, out := textOf(false, -1, 6)
	r.labels([]column{{name: "ab"}})
	r.labels([]column{{name: "abcdefgh"}})
	r.out.Flush()
	if got, want := out.String(), "\n    ab \n\nabcdef \n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStamps(t *testing.T) {
	at := pcp.Timestamp{Sec: 902428472, Nsec: 257504999}
	for stamps, want := range []string{"18:34:32.257", "Thu Aug  6 18:34:32.257504 1998", "Thu Aug  6 18:34:32.257504999 1998", "Thu Aug  6 18:34:32.257504999 1998"} {
		c := clock{zone: time.UTC, stamps: stamps}
		if got := string(c.appendStamp(nil, at)); got != want {
			t.Errorf("%d: got %q, want %q", stamps, got, want)
		}
	}
	c := clock{zone: time.UTC}
	if got := string(c.appendDate(nil, at)); got != "Thu Aug  6 18:34:32 1998" {
		t.Errorf("header: got %q", got)
	}
}

// TestColors: with colours the text is the same but for them.
func TestColors(t *testing.T) {
	columns := []column{{inst: 0, name: "a"}, {inst: 5, name: "b"}}
	conv := converter{rate: true, desc: pcp.Desc{Type: pcp.Int32, InDom: 1, Sem: pcp.Counter}}
	print := func(colored bool) string {
		r, out := textOf(true, -1, 4)
		r.colored = colored
		r.labels(columns)
		if err := r.sample(t.Context(), conv.convert(columns, columnOf(pcp.Int32, 1), columnOf(pcp.Int32, 9))); err != nil {
			t.Fatal(err)
		}
		r.gap(pcp.Timestamp{}, unavailable)
		r.out.Flush()
		return out.String()
	}
	with, without := print(true), print(false)
	for _, color := range []string{bold, faint, red, yellow} {
		if !strings.Contains(with, color) {
			t.Errorf("no %q in %q", color, with)
		}
		with = strings.ReplaceAll(with, color, "")
	}
	if with = strings.ReplaceAll(with, plain, ""); with != without {
		t.Errorf("got %q and %q", with, without)
	}
}

func TestAppendCut(t *testing.T) {
	tests := []struct {
		name  string
		width int
		want  string
	}{{"ab", 4, "  ab"}, {"ab", 2, "ab"}, {"abc", 2, "ab"}, {"abc", 0, ""}, {"abc", -1, ""}, {"", 2, "  "}}
	for _, tt := range tests {
		if got := string(appendCut(nil, tt.name, tt.width)); got != tt.want {
			t.Errorf("%q in %d: got %q, want %q", tt.name, tt.width, got, tt.want)
		}
	}
}
