package pmcdtest

import (
	"testing"

	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

func TestScript(t *testing.T) {
	steps := []Step{
		{Want: &pdu.Child{}, Send: []pdu.Message{&pdu.Names{Names: []string{"a"}}}},
		{Want: &pdu.Profile{}},
		{Send: []pdu.Message{&pdu.Error{Code: 8}, &pdu.Error{Code: pmerr.Again}}},
	}
	for _, row := range []struct {
		name string
		send []pdu.Message
		want []pmerr.Code // of the replies; 1 is no error
		ok   bool
	}{
		{"as expected", []pdu.Message{&pdu.Child{}, &pdu.Profile{}, &pdu.DescReq{}}, []pmerr.Code{1, 8, pmerr.Again}, true},
		{"not to the end", []pdu.Message{&pdu.Child{}}, []pmerr.Code{1}, false},
		{"other type", []pdu.Message{&pdu.Traverse{}}, []pmerr.Code{pmerr.IPC}, false},
		{"other body", []pdu.Message{&pdu.Child{Name: "a"}}, []pmerr.Code{pmerr.IPC}, false},
		{"beyond the end", []pdu.Message{&pdu.Child{}, &pdu.Profile{}, &pdu.Child{}, &pdu.Child{}}, []pmerr.Code{1, 8, pmerr.Again, pmerr.IPC}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			script := NewScript(steps...)
			s := NewServer(script)
			defer s.Close()
			c := greeted(t, s)
			c.send(row.send...)
			for i, want := range row.want {
				if code := c.code(); code != want {
					t.Errorf("reply %d: %v, want %v", i, code, want)
				}
			}
			if err := script.Err(); (err == nil) != row.ok {
				t.Errorf("error %v", err)
			}
		})
	}
}
