package install

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"pmtools/derive/diagnose"
)

// Chosen returns the directory that the first of some words chooses, user or system, or "" if it is neither, and
// the other words.
func (t *Tools) Chosen(words []string) (dir string, rest []string, err error) {
	if len(words) < 2 {
		return "", words, nil
	}
	switch words[0] {
	case "system":
		return t.System, words[1:], nil
	case "user":
		if t.User == "" {
			return "", nil, errors.New("there is no home directory to install into")
		}
		return t.User, words[1:], nil
	}
	return "", words, nil
}

// Place is Chosen, and returns the default where no directory is chosen.
func (t *Tools) Place(words []string) (dir string, rest []string, err error) {
	dir, rest, err = t.Chosen(words)
	if dir == "" && err == nil {
		dir, err = t.Default()
	}
	return dir, rest, err
}

// InstallAll installs files that have been checked, and writes a line about each. Others of their names are
// replaced if over is set; the note says how to ask for that.
func (t *Tools) InstallAll(w io.Writer, dir string, names []string, texts [][]byte, over bool, note string) error {
	job := t.NewJob(dir, false)
	job.Replace = func(string) bool { return over }
	for i, name := range names {
		line, err := job.Install(filepath.Base(name), texts[i])
		if p, refused := errors.AsType[*diagnose.Problem](err); refused {
			p.Notes = []string{note}
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(w, line)
	}
	for _, line := range job.Notes() {
		fmt.Fprintln(w, line)
	}
	return nil
}

// UninstallAll removes what words name, and writes a line about each.
func (t *Tools) UninstallAll(w io.Writer, words []string) error {
	dir, names, err := t.Chosen(words)
	for i := 0; err == nil && i < len(names); i++ {
		var line string
		if line, err = t.Uninstall(names[i], dir, false, false); err == nil {
			fmt.Fprintln(w, line)
		}
	}
	return err
}
