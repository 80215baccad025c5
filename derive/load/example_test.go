package load_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"pmtools/derive"
	"pmtools/derive/load"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pmapi"
)

// The metrics that a file defines, over an archive. A line with a mistake is a warning, and the others count.
func ExampleConfig() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "disk.conf")
	text := "disk.reads = rate(disk.dev.read)\ndisk.reads(oneline) = reads per second\ndisk.writes = rate(disk.dev.write\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		log.Fatal(err)
	}
	if err := archivetest.Build(dir, "demo"); err != nil {
		log.Fatal(err)
	}
	base, err := pmapi.OpenArchive(ctx, filepath.Join(dir, "demo"), nil)
	if err != nil {
		log.Fatal(err)
	}

	warnings := 0
	reg := derive.NewRegistry(func(string) { warnings++ })
	n, err := load.Config(reg, file)
	if err != nil {
		log.Fatal(err) // the file cannot be read
	}
	src := derive.NewSource(base, reg.Set(), nil)
	defer src.Close()
	fmt.Println(n, "metric,", warnings, "warning")
	id, err := pmapi.LookupName(ctx, src, "disk.reads")
	if err != nil {
		log.Fatal(err)
	}
	desc, err := pmapi.LookupDesc(ctx, src, id)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(desc.Type, desc.Units)
	// Output:
	// 1 metric, 1 warning
	// DOUBLE count / sec
}
