package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

func TestEncodeLabels(t *testing.T) {
	for _, row := range []struct {
		name        string
		labels      []pcp.Label
		json, where string
	}{
		{"none", nil, "{}", ""},
		{"two", []pcp.Label{{Name: "agent", Value: `"sample"`, Flags: 2}, {Name: "role", Value: `"testing"`, Flags: 2}},
			`{"agent":"sample","role":"testing"}`, "00020502 00090008 00130402 00190009"}, // wire.md W5.12
		{"sorted", []pcp.Label{{Name: "b", Value: "2"}, {Name: "a.b", Value: "null", Flags: 0xc1}, {Name: "a", Value: "[]"}},
			`{"a":[],"a.b":null,"b":2}`, "00020100 00050002 000903c1 000e0004 00140100 00170001"},
		{"longest name", []pcp.Label{{Name: strings.Repeat("x", 254), Value: "1"}}, `{"` + strings.Repeat("x", 254) + `":1}`, "0002fe00 01020001"},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := fmt.Sprint(row.labels)
			json, where, err := EncodeLabels(row.labels)
			if err != nil || string(json) != row.json || !bytes.Equal(where, unhex(t, row.where)) {
				t.Errorf("got %s, %x, error %v, want %s, %s", json, where, err, row.json, row.where)
			}
			if fmt.Sprint(row.labels) != before {
				t.Errorf("the labels were changed: %v", row.labels)
			}
		})
	}
}

func TestEncodeLabelsErrors(t *testing.T) {
	many := make([]pcp.Label, MaxLabels+1)
	for i := range many {
		many[i] = pcp.Label{Name: fmt.Sprint("n", i), Value: "1"}
	}
	text := func(n int) []pcp.Label { return []pcp.Label{{Name: "a", Value: strings.Repeat("1", n)}} }
	for _, row := range []struct {
		name   string
		labels []pcp.Label
		want   error
	}{
		{"no name", []pcp.Label{{Value: "1"}}, pmerr.EINVAL},
		{"long name", []pcp.Label{{Name: strings.Repeat("x", 255), Value: "1"}}, pmerr.EINVAL},
		{"a name twice", []pcp.Label{{Name: "a", Value: "1"}, {Name: "b", Value: "1"}, {Name: "a", Value: "1"}}, pmerr.EINVAL},
		{"no value", []pcp.Label{{Name: "a"}}, pmerr.EINVAL},
		{"too many", many, pmerr.TooBig},
		{"as many as can be", many[:MaxLabels], nil},
		{"long text", text(MaxLabelJSON), pmerr.TooBig},
		{"a few bytes too long", text(MaxLabelJSON - 5), pmerr.TooBig},
		{"longest text", text(MaxLabelJSON - 7), nil},
	} {
		json, _, err := EncodeLabels(row.labels)
		if !errors.Is(err, row.want) || len(json) > MaxLabelJSON {
			t.Errorf("%s: %d bytes, error %v, want %v", row.name, len(json), err, row.want)
		}
	}
}

func TestDecodeLabels(t *testing.T) {
	const json = `{"agent":"sample","role":1}`
	for _, row := range []struct {
		name, where, want string
		ok                bool
	}{
		{"none", "", "[]", true},
		{"two", "00020502 00090008 00130402 00190001", `[{agent "sample" 2} {role 1 2}]`, true},
		{"unsorted", "00130402 00190001 00020502 00090008", `[{agent "sample" 2} {role 1 2}]`, true},
		{"half of one left over", "00020502 00090008 0013", `[{agent "sample" 2}]`, true},
		{"name outside", "001a0502 00090008 00130402 00190001", "[{role 1 2}]", false},
		{"value outside", "00020502 00090013 00130402 00190001", "[{role 1 2}]", false},
		{"at the last places", "ffffffff ffffffff", "[]", false},
		{"empty ones at the end", "001b0000 001b0000", "[{  0}]", true},
	} {
		got, err := DecodeLabels(json, unhex(t, row.where))
		if fmt.Sprint(got) != row.want || (err == nil) != row.ok || err != nil && !errors.Is(err, ErrFormat) {
			t.Errorf("%s: got %v, error %v, want %s", row.name, got, err, row.want)
		}
	}
}

// FuzzLabels decodes labels, encodes them, and decodes them again.
func FuzzLabels(f *testing.F) {
	f.Add(`{"agent":"sample","role":1}`, unhex(f, "00020502 00090008 00130402 00190001"))
	f.Add(`{}`, []byte{})
	f.Add(`{"a":1}`, unhex(f, "ffffffff ffffffff"))
	f.Fuzz(func(t *testing.T, json string, where []byte) {
		labels, err := DecodeLabels(json, where)
		if err != nil && !errors.Is(err, ErrFormat) {
			t.Fatal(err)
		}
		text, places, err := EncodeLabels(labels)
		if err != nil {
			return
		}
		again, err := DecodeLabels(string(text), places)
		if err != nil {
			t.Fatalf("%s, %x: %v", text, places, err)
		}
		if diff := cmp.Diff(labels, again); diff != "" {
			t.Fatalf("(-first +second):\n%s", diff)
		}
	})
}
