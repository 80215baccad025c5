package repl_test

import (
	"context"
	"fmt"
	"os"

	"pmtools/cmd/internal/repl"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pmapi"
)

func ExampleSession() {
	dir, err := os.MkdirTemp("", "repl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := archivetest.Build(dir, "ta"); err != nil {
		fmt.Println(err)
		return
	}
	s := repl.New(&repl.Options{Sources: repl.Sources{
		Kind: repl.Archive, Name: dir + "/ta",
		Open: func(ctx context.Context, _, name string) (pmapi.Source, error) {
			return pmapi.OpenArchive(ctx, name, nil)
		},
	}})
	defer s.Close()
	for _, item := range []string{"x.sum = t.b + t.c", "x.sum[one] * 2", "sum(t.bb)"} {
		if err := s.Run(context.Background(), item, os.Stdout); err != nil {
			fmt.Println("error:", err)
		}
	}
	// Output:
	// x.sum: 32-bit int, instant, no units, indom 245.1
	// expanded x.sum
	// 2001-09-09 01:46:40 UTC
	// one  2020
	// error: column 5: unknown metric t.bb
}
