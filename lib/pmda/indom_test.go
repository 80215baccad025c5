package pmda

import (
	"testing"

	"pmtools/lib/pcp"
)

func TestFindInstance(t *testing.T) {
	list := []pcp.Instance{{ID: 1, Name: "one"}, {ID: 2, Name: "two words"}, {ID: 3, Name: "two"}, {ID: 4, Name: "onemore"}}
	for name, want := range map[string]int32{"one": 1, "two": 2, "two words": 2, "onemore": 4, "on": 0, "two w": 0, "one x": 0, "": 0} {
		got, err := findInstance(list, name)
		if got != want || (err != nil) != (want == 0) {
			t.Errorf("%q: %d, error %v; want %d", name, got, err, want)
		}
	}
}
