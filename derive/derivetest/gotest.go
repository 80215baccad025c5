package derivetest

import (
	"context"
	"os"
	"path/filepath"
)

// A Test is what Run needs of a *testing.T.
type Test[T any] interface {
	Context() context.Context
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Helper()
	Logf(format string, args ...any)
	Run(name string, f func(T)) bool
}

// Run runs the files of cases that a pattern of filepath.Glob matches: each file is a subtest of t, and
// each case one below it. A case fails with what pmderive test prints. A pattern that matches no file is
// an error, too.
func Run[T Test[T]](t T, pattern string) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Fatal("no file of cases matches " + pattern)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			f, err := Parse(name, text)
			if err != nil {
				t.Fatal(err)
			}
			report, err := f.Run(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range report.Warnings {
				t.Logf("%s", line)
			}
			for i := range report.Results {
				t.Run(report.Results[i].Name, func(t T) {
					if c := &report.Results[i]; len(c.Failures) > 0 {
						t.Errorf("%s", c.Text())
					}
				})
			}
		})
	}
}
