package install

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"pmtools/derive/diagnose"
	"pmtools/lib/safefile"
)

// A Job installs files into one directory.
type Job struct {
	Replace func(question string) bool // asks whether a file is replaced

	tools    *Tools
	dir      string
	dry      bool            // nothing is written
	taken    map[string]bool // names of the files so far
	catalog  *Catalog        // before the first file
	notes    []string
	anything bool
}

// NewJob returns a Job for a directory. A dry one writes nothing.
func (t *Tools) NewJob(dir string, dry bool) *Job {
	return &Job{tools: t, dir: dir, dry: dry, taken: make(map[string]bool), catalog: t.Catalog(nil)}
}

// Catalog returns the definitions of the files that options name, and of those that the tools read.
func (t *Tools) Catalog(options []string) *Catalog {
	c := t.NewCatalog()
	c.Read(Option, options...)
	c.Read("", t.List...)
	return c
}

// Install installs a file under a name, and returns a line that says so.
func (j *Job) Install(name string, text []byte) (string, error) {
	path := filepath.Join(j.dir, name)
	switch {
	case strings.HasPrefix(name, "<"):
		return "", errors.New("standard input has no name to install it under: write a file")
	case j.taken[name]:
		return "", fmt.Errorf("there are two files %s; one directory has room for one", name)
	}
	j.taken[name] = true
	if err := portable(name, text); err != nil {
		return "", err
	}
	other, same, err := obstacle(path, text)
	if err != nil {
		return "", err
	}
	done, replacing := "is installed", ""
	switch {
	case same:
		return fmt.Sprintf("%s is installed already in %s (%s)", name, j.dir, j.tools.Kind(j.dir)), nil
	case other != "" && j.dry:
		replacing = ", in the place of a file that " + other
	case other != "" && !j.Replace(fmt.Sprintf("%s %s; replace it?", path, other)):
		return "", &diagnose.Problem{Msg: path + " " + other + " and is not replaced", Notes: []string{"--force replaces it"}}
	}
	if j.dry {
		done = "would be installed"
		if err := j.tools.checkDir(j.dir); err != nil {
			return "", err
		}
	} else if err := j.tools.Put(path, text); err != nil {
		return "", err
	}
	j.anything = true
	j.notes = append(j.notes, j.catalog.Conflicts(path, text)...)
	return fmt.Sprintf("%s %s in %s (%s), %s%s", name, done, j.dir, j.tools.Kind(j.dir), definitions(Count(text)), replacing), nil
}

func definitions(n int) string {
	if n == 1 {
		return "1 definition"
	}
	return fmt.Sprintf("%d definitions", n)
}

// Notes returns what a user has to know besides: which definitions of a name count, and what to do where
// the tools do not look in the directory.
func (j *Job) Notes() []string {
	if j.anything && !j.tools.Reads(j.dir) {
		return append(j.notes, "the tools do not look in "+j.dir+" before they are told to:\n  "+j.tools.Advice(j.dir))
	}
	return j.notes
}

// Uninstall removes a file from a directory, "" for each of those in which it may be, and
// returns a line that says so. Of a link the file to which it points stays. Files of PCP's packages need force; a dry run
// removes nothing.
func (t *Tools) Uninstall(arg, dir string, force, dry bool) (string, error) {
	dirs := t.Dirs()
	if dir != "" {
		dirs = []string{dir}
	}
	c := t.NewCatalog()
	c.Read("", dirs...)
	file, err := c.find(arg, dirs)
	if err != nil {
		return "", err
	}
	if t.origin(file) == Stock && !force {
		return "", &diagnose.Problem{Msg: file + " belongs to PCP's packages and stays", Notes: []string{"--force removes it"}}
	}
	if dry {
		return file + " would be removed", nil
	}
	return file + " is removed", t.explain(filepath.Dir(file), safefile.Remove(file))
}
