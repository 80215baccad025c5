package sourcetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pmapi"
	_ "pmtools/test/env"
)

// open opens the archive that the tests of this package change.
func open(t *testing.T, base string) *pmapi.Archive {
	t.Helper()
	a, err := pmapi.OpenArchive(t.Context(), base, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// TestHonest runs the kit over Sources that do as they should.
func TestHonest(t *testing.T) {
	base := archivetest.Path(t, "labels")
	Run(t, func(t *testing.T) pmapi.Source { return open(t, base) })
	Run(t, func(t *testing.T) pmapi.Source { return &liar{Archive: open(t, base)} })
	Run(t, func(t *testing.T) pmapi.Source {
		a := open(t, base)
		return &live{Source: a, inner: a}
	})
}

// A lie is a way to break the contract, and the kit's message about it.
type lie struct {
	name  string
	check string // that must fail
	want  string // part of a message
	tell  func(l *liar)
}

// lies returns all lies.
func lies() []lie {
	return slices.Concat(nameLies(), metaLies(), textLies(), manyLies(), fetchLies(), againLies(), requestLies(), columnLies(), timeLies())
}

// TestLies runs the kit over Sources that break the contract in one way each.
func TestLies(t *testing.T) {
	base := archivetest.Path(t, "labels")
	for _, tt := range lies() {
		t.Run(tt.check+"/"+tt.name, func(t *testing.T) {
			var said []string
			i := slices.IndexFunc(checks(), func(c check) bool { return c.name == tt.check })
			if i < 0 {
				t.Fatalf("no check %q", tt.check)
			}
			c := checks()[i]
			c.do(func() pmapi.Source {
				l := &liar{Archive: open(t, base)}
				tt.tell(l)
				if strings.HasPrefix(tt.name, "live: ") {
					return &live{Source: l, inner: l}
				}
				return l
			}, func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) })
			if !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, tt.want) }) {
				t.Errorf("said %q, want %q", said, tt.want)
			}
		})
	}
}
