// Mkarchive writes archives for tests and demonstrations:
//
//	mkarchive DIR NAME...
//	mkarchive DIR big=5000 wide=3000 sparse=20000 procs=600 day=8640
//	mkarchive DIR fleet=1000 members=30
//	mkarchive -l
//
// Archives of the same name that are in DIR already are replaced. A name with a number is an
// archive for benchmarks: wide with that many metrics, big, sparse, procs and day with that many
// records; fleet is that many archives, host0000 and on, of a day each, and members that many,
// member0000 and on, which follow each other. The name all stands for every one that needs no
// number; -l lists them.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/archive/archivetest"
)

// wideRecords is the number of records in a wide archive.
const wideRecords = 20

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the program; it returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	switch {
	case len(args) == 1 && args[0] == "-l":
		fmt.Fprintln(stdout, strings.Join(archivetest.Names(), "\n"))
		return 0
	case len(args) < 2 || strings.HasPrefix(args[0], "-"):
		fmt.Fprintln(stderr, "usage: mkarchive DIR NAME...\n       mkarchive -l")
		return 2
	}
	if err := os.MkdirAll(args[0], 0o777); err != nil {
		fmt.Fprintln(stderr, "mkarchive:", err)
		return 1
	}
	names := args[1:]
	if i := slices.Index(names, "all"); i >= 0 {
		names = slices.Replace(names, i, i+1, archivetest.Names()...)
	}
	for _, name := range names {
		if err := write(args[0], name); err != nil {
			fmt.Fprintln(stderr, "mkarchive:", err)
			return 1
		}
	}
	return 0
}

// write makes one archive in place of the one that may be there.
func write(dir, name string) error {
	base, number, sized := strings.Cut(name, "=")
	if name, build := archivetest.FleetHost, archivetest.BuildFleetHost; base == "fleet" && sized {
		return several(dir, base, number, name, build)
	}
	if name, build := archivetest.MemberName, archivetest.BuildMember; base == "members" && sized {
		return several(dir, base, number, name, build)
	}
	build := func() error { return archivetest.Build(dir, base) }
	if sized {
		n, err := positive(number)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		case base == "big":
			build = func() error { return archivetest.BuildBig(dir, base, n) }
		case base == "wide":
			build = func() error { return archivetest.BuildWide(dir, base, n, wideRecords) }
		case base == "sparse":
			build = func() error { return archivetest.BuildSparse(dir, base, n) }
		case base == "procs":
			build = func() error { return archivetest.BuildProcs(dir, base, n) }
		case base == "day":
			build = func() error { return archivetest.BuildDay(dir, base, n) }
		default:
			return fmt.Errorf("%s: only big, wide, sparse, procs, day, fleet and members take a number", name)
		}
	} else if !slices.Contains(archivetest.Names(), base) {
		return fmt.Errorf("%s: no such archive", name)
	}
	if err := archivetest.Remove(dir, base); err != nil {
		return err
	}
	return build()
}

// positive reads a number.
func positive(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, errors.New("not a positive number")
	}
	return n, nil
}

// several makes as many archives as a number says.
func several(dir, what, number string, name func(int) string, build func(dir string, number int) error) error {
	n, err := positive(number)
	if err != nil {
		return fmt.Errorf("%s=%s: %w", what, number, err)
	}
	for i := range n {
		if err := archivetest.Remove(dir, name(i)); err != nil {
			return err
		}
		if err := build(dir, i); err != nil {
			return err
		}
	}
	return nil
}
