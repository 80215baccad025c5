package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"pmtools/cmd/internal/samples"
	"pmtools/cmd/internal/source"
	"pmtools/derive/repl"
	"pmtools/lib/option"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// session returns a session over the source that the options ask for. The source
// is opened when it is needed, or here if -z wants to know its zone.
func (a *app) session(ctx context.Context, set repl.Settings) (*repl.Session, error) {
	env := a.Env
	opt := &repl.Options{
		Open: a.open, Registry: a.registry(), Equivalent: a.sources.Equivalence(),
		Zone: env.Zone(), Now: env.Now, Debug: a.debug, Files: files{}, Settings: set,
		Table:  func(w io.Writer, t *repl.Table) error { return (*samples.Table)(t).Write(w) },
		Output: a.output,
		Flush:  func() { _ = env.Out.Flush() }, // what cannot be written is noticed at the end
	}
	switch kind, name := a.Options.Source(); kind {
	case option.Host:
		opt.Kind, opt.Name = repl.Host, name
	case option.Archive:
		opt.Kind, opt.Name = repl.Archive, name
	case option.Local:
		opt.Kind = repl.Local
	}
	if a.Options.HasTimezone {
		zone, err := source.LoadZone(a.Options.Timezone)
		if err != nil {
			return nil, fmt.Errorf("Cannot set timezone to \"%s\": %s", a.Options.Timezone, pmerr.Message(err))
		}
		opt.Zone = zone
	}
	s := repl.New(opt)
	if a.Options.HostZone {
		if err := s.UseSourceZone(ctx, source.LoadZone); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// open opens a source of the kinds of package repl.
func (a *app) open(ctx context.Context, kind, name string) (pmapi.Source, error) {
	o := &a.Options
	o.Local, o.HasHost, o.HasArchive = kind == repl.Local, kind == repl.Host, kind == repl.Archive
	switch kind {
	case repl.Host:
		o.Host = name
	case repl.Archive:
		o.Archive = name
	}
	return a.sources.OpenPlain(ctx)
}

// debug sets debug options as -D does.
func (a *app) debug(spec string) error {
	if err := a.root.PersistentFlags().Lookup("debug").Value.Set(spec); err != nil {
		return err
	}
	a.sources.Registry() // which takes notice
	return nil
}

// files are those of the system.
type files struct{}

// maxFile is how long a configuration file may be.
const maxFile = 64 << 20

// ReadFile implements repl.Files.
func (files) ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

// readAll reads a configuration file.
func readAll(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(text) > maxFile {
		return nil, errors.New("file too large")
	}
	return text, err
}

// WriteFile implements repl.Files. A file that is replaced keeps its mode.
func (files) WriteFile(name string, text []byte, replace bool) error {
	if !replace {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return err
		}
		_, err = f.Write(text)
		return errors.Join(err, f.Close())
	}
	return replaceFile(name, text)
}

// replaceFile writes a file so that there is always one: the old or the new.
func replaceFile(name string, text []byte) error {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	mode := os.FileMode(0o666)
	info, err := os.Stat(name)
	if err != nil {
		return os.WriteFile(name, text, mode)
	}
	if !info.Mode().IsRegular() {
		return os.WriteFile(name, text, mode)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"*")
	if err != nil {
		return os.WriteFile(name, text, mode) // the directory is not ours to write to
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Glob implements repl.Files.
func (files) Glob(prefix string) []string {
	dir, base := filepath.Split(prefix)
	entries, err := os.ReadDir(orDot(dir))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), base) || base == "" && strings.HasPrefix(e.Name(), ".") {
			continue
		}
		name := dir + e.Name()
		if e.IsDir() {
			name += "/"
		}
		names = append(names, name)
	}
	return names
}

// orDot returns a directory, the current one for no name.
func orDot(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}
