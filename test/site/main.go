// Command site writes the documentation as a site of static pages: README.md, which is its first
// page, the guides, the manual pages, and the comments of the packages, with a search that needs no
// server. make site runs it. A link to a page or a section that does not exist is an error. The same
// files give the same bytes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("site: ")
	out := flag.String("o", "dist/site", "`directory` to write into")
	flag.Parse()
	if err := os.Chdir("../.."); err != nil { // go run -C begins here
		log.Fatal(err)
	}
	files, err := generate(".")
	if err == nil {
		err = errors.Join(broken(files)...)
	}
	if err == nil {
		err = write(*out, files)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d files, the first is %s\n", len(files), filepath.Join(*out, "index.html"))
}

// write replaces a directory by one with the files.
func write(dir string, files map[string][]byte) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, files[name], 0o666); err != nil {
			return err
		}
	}
	return nil
}
