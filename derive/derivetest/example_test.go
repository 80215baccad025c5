package derivetest_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"pmtools/derive/derivetest"
)

// A test of definitions that go test runs: each file of cases is a subtest, and each case one below it.
func ExampleRun() {
	_ = func(t *testing.T) { // func TestDefinitions(t *testing.T)
		derivetest.Run(t, "testdata/*.cases")
	}
}

// Cases without a file.
func ExampleFile_Run() {
	f, err := derivetest.Parse("disk.cases", []byte(`
step 10s
metric disk.reads u64 counter count
  value 0+100x3

case reads each second
  eval rate(disk.reads)
    value _ 10 10 10
case reads each minute
  eval rate(disk.reads) * 60
    value _ 10 10 10
`))
	if err != nil {
		log.Fatal(err)
	}
	report, err := f.Run(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range report.Results {
		fmt.Println(c.Name, len(c.Failures) == 0)
		for _, f := range c.Failures {
			fmt.Println(f.Expr, "at", f.Values[0].At, "is", f.Values[0].Found)
		}
	}
	// Output:
	// reads each second true
	// reads each minute false
	// rate(disk.reads) * 60 at 10s is 600
}
