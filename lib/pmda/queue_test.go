package pmda

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// TestQueue runs sequences of operations on a queue of ten bytes: "+data" appends, "a" lets client
// a read, "!a" ends it.
func TestQueue(t *testing.T) {
	for _, tt := range []struct{ name, ops, want string }{
		{"events from the first read on", "+one a +two +three a a", "a: | a: two three | a:"},
		{"each client on its own", "a +one b +two a b a", "a: | b: | a: one two | b: two | a:"},
		{"the oldest are dropped", "a b +1234 +5678 b +90 +abcd a b", "a: | b: | b: 1234 5678 | a: 5678 90 abcd missed 1 | b: 90 abcd"},
		{"one that fills all", "a +1 +2 +0123456789 a", "a: | a: 0123456789 missed 2"},
		{"one that is too large", "a +1 +0123456789x a a", "a: | a: 1 missed 1 | a:"},
		{"ended clients", "a b +1 !a +2 b a +3 a !b !nobody", "a: | b: | b: 1 2 | a: | a: 3"},
		{"nobody reads", "+1 +2 +3 a", "a:"},
	} {
		q, err := NewQueue(10)
		if err != nil {
			t.Fatal(err)
		}
		clients := map[string]*Client{"a": {Number: 1}, "b": {Number: 2}, "nobody": {Number: 3}}
		var log []string
		for _, op := range strings.Fields(tt.ops) {
			switch c := clients[op[1:]]; op[0] {
			case '+':
				q.Append(pcp.Timestamp{}, []byte(op[1:]))
			case '!':
				q.End(c)
			default:
				line := op + ":"
				missed := q.Read(clients[op], func(_ pcp.Timestamp, data []byte) { line += " " + string(data) })
				if missed > 0 {
					line += fmt.Sprint(" missed ", missed)
				}
				log = append(log, line)
			}
			if s := q.Stats(); s.Memory > 10 || s.Memory < 0 {
				t.Fatalf("%s: %d bytes after %s", tt.name, s.Memory, op)
			}
		}
		if got := strings.Join(log, " | "); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// TestQueueStats checks the numbers about a queue.
func TestQueueStats(t *testing.T) {
	if _, err := NewQueue(0); !errors.Is(err, pmerr.EINVAL) {
		t.Errorf("no room: %v", err)
	}
	q, err := NewQueue(100)
	if err != nil {
		t.Fatal(err)
	}
	c := new(Client)
	none := func(pcp.Timestamp, []byte) {}
	q.Append(pcp.Timestamp{}, []byte("12345"))
	if got, want := q.Stats(), (QueueStats{Count: 1, Bytes: 5}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	q.Read(c, none)
	q.Append(pcp.Timestamp{}, []byte("123"))
	if got, want := q.Stats(), (QueueStats{Count: 2, Bytes: 8, Memory: 3, Clients: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	q.Read(c, none)
	q.End(c)
	if got, want := q.Stats(), (QueueStats{Count: 2, Bytes: 8}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
