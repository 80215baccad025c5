// Command count writes memory-mapped values into a directory and ends.
package main

import (
	"errors"
	"fmt"
	"os"

	"pmtools/lib/mmv"
)

func main() {
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	r, err := mmv.Create("acme", mmv.Options{Dir: dir})
	if err != nil {
		return err
	}
	d := r.Domain().Add("a", "b")
	mmv.Counter[uint64](r, "count", mmv.Per(d)).At("b").Add(3)
	mmv.Text(r, "text").Set("some text")
	for i := range 200 { // more than a page
		mmv.Gauge[int64](r, fmt.Sprint("m", i)).Set(int64(i))
	}
	return errors.Join(r.Err(), r.Close())
}
