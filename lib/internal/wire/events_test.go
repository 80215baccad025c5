package wire

import (
	"errors"
	"testing"

	"pmtools/lib/pcp"
)

func TestFitEvents(t *testing.T) {
	const (
		stamp = "6553f100 00000000 "
		head  = "00000001 " + stamp + "00000000 " // one record, no flags
		param = "3d400001 06000008 " + `"abc" 00 `
	)
	tests := []struct {
		name string
		body string
		want bool
	}{
		{"nothing", "", false},
		{"half a count", "0000", false},
		{"no records", "00000000", true},
		{"no records and more", "00000000 00000005", true},
		{"negative number of records", "ffffffff", true},
		{"record missing", "00000001", false},
		{"stamp cut", "00000001 6553f100", false},
		{"flags cut", "00000001 " + stamp + "00000000", false},
		{"no parameters", head + "00000000", true},
		{"no parameters and more", head + "00000000 00000007", true},
		{"negative number of parameters", head + "ffffffff", true},
		{"parameter missing", head + "00000001", false},
		{"parameter without length", head + "00000001 3d400001", false},
		{"one parameter", head + "00000001 " + param, true},
		{"second parameter missing", head + "00000002 " + param, false},
		{"second parameter cut", head + "00000002 " + param + "3d400001 06000008", false},
		{"two parameters", head + "00000002 " + param + param, true},
		{"huge number of parameters", head + "7fffffff " + param, false},
		{"huge number of records", "7fffffff " + stamp + "00000000 00000000", false},
		{"parameter of nothing", head + "00000001 3d400001 06000004", true},
		{"parameter shorter than its head", head + "00000001 3d400001 06000003", true},
		{"parameter too long", head + "00000001 3d400001 06000009 00000000", false},
		{"parameter as long as can be", head + "00000001 3d400001 06ffffff 00000000", false},
		{"padding missing at the end", head + "00000001 3d400001 06000005 61", true},
		{"padding cut at the end", head + "00000001 3d400001 06000005 617e", true},
		{"padding between parameters", head + "00000002 3d400001 06000005 617e7e7e " + param, true},
		{"missed", "00000001 " + stamp + "80000000 00000005", true},
		{"missed, then one without parameters", "00000002 " + stamp + "80000000 00000005 " + stamp + "00000000 00000000", true},
		{"missed, then one that is cut", "00000002 " + stamp + "80000000 00000005 " + stamp + "00000000", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := unhex(t, tt.body)
			if got := fitEvents(pcp.Event, body); got != tt.want {
				t.Errorf("got %v", got)
			}
			// The same in a message: a value that does not fit makes it malformed.
			src := unhex(t, "3d400001 00000001 00000001 ffffffff 00000005")
			src = AppendUint32(src, uint32(pcp.Event)<<24|uint32(len(body)+4))
			src = append(append(src, body...), make([]byte, -len(body)&3)...)
			s := NewSets(src, 0, len(src), 1, 0)
			for s.Next() {
			}
			if err := s.Err(); (err == nil) != tt.want || err != nil && !errors.Is(err, ErrFormat) {
				t.Errorf("in a message: %v", err)
			}
		})
	}
}

func TestFitHighResEvents(t *testing.T) {
	const stamp = "00000000 6553f100 00000000 00000007 "
	for body, want := range map[string]bool{
		"":         false,
		"00000000": true,
		"00000001 " + stamp + "00000000 00000000":                            true,
		"00000001 " + stamp + "00000000":                                     false,
		"00000001 00000000 6553f100 00000000 00000000":                       false, // a record of the other kind
		"00000001 " + stamp + "00000000 00000001 3d400001 00000008 00000007": true,
		"00000001 " + stamp + "00000000 00000001 3d400001 00000008":          false,
		"00000001 " + stamp + "80000000 00000003":                            true,
	} {
		if got := fitEvents(pcp.HighResEvent, unhex(t, body)); got != want {
			t.Errorf("%q: got %v", body, got)
		}
	}
}

// FuzzFitEvents: a value that does not fit cannot be unpacked either.
func FuzzFitEvents(f *testing.F) {
	f.Add(unhex(f, "00000001 6553f100 00000000 00000000 00000001 3d400001 06000008 00000000"), true)
	f.Add(unhex(f, "00000002 6553f100 00000000 80000000 00000005 6553f100 00000000 00000000 00000000"), true)
	f.Add(unhex(f, "00000001 00000000 6553f100 00000000 00000007 00000000 00000000"), false)
	f.Fuzz(func(t *testing.T, body []byte, low bool) {
		typ := pcp.HighResEvent
		if low {
			typ = pcp.Event
		}
		fits := fitEvents(typ, body)
		records, err := pcp.UnpackEvents(pcp.BlobValue(typ, body))
		if err == nil && !fits {
			t.Errorf("%d records of a value that they do not fit", len(records))
		}
	})
}
