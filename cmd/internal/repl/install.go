package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"pmtools/cmd/internal/install"
	"pmtools/derive/lint"
	"pmtools/derive/query"
)

// A place is the options that choose where the tools look for definitions.
type place struct {
	user, system, force, dry bool
	dir                      string
}

// place adds the options that install and uninstall have.
func (f *Flags) place(forced string) *place {
	p := &place{}
	f.BoolVar(&p.user, "user", false, "take the directory for your own definitions, ~/.config/pmderive/derived")
	f.BoolVar(&p.system, "system", false, "take the directory that all tools of this machine read")
	f.StringVar(&p.dir, "dir", "", "take `DIR`")
	f.BoolVar(&p.force, "force", false, forced)
	f.BoolVar(&p.dry, "dry-run", false, "only say what would be done")
	return p
}

// in returns the directory that the options choose, "" for none.
func (p *place) in(t *install.Tools) (dir string, err error) {
	chosen := 0
	for _, c := range []struct {
		is  bool
		dir string
	}{{p.user, t.User}, {p.system, t.System}, {p.dir != "", p.dir}} {
		if c.is {
			chosen++
			dir = c.dir
		}
	}
	switch {
	case chosen > 1:
		return "", misuse("--user, --system and --dir exclude each other")
	case p.user && t.User == "":
		return "", errors.New("there is no home directory to install into")
	}
	return dir, nil
}

// tools returns where the tools look for definitions, and the files that options name.
func (s *Session) tools() (t *install.Tools, options []string, err error) {
	if s.opt.Tools == nil {
		return nil, nil, query.Problemf("there are no files here")
	}
	t, options = s.opt.Tools()
	return t, options, nil
}

func newInstall() *Verb {
	return &Verb{
		Name: "install", Aliases: []Alias{{"install!", []string{"--force"}}}, Usage: "FILE ...", Short: "Put files of derived metrics where the tools look for them",
		Long: "Put files of derived metrics where pmderive and the tools of PCP look for them, after the same checks as\n" +
			"those of check: a file with an error is not installed. Unless an option chooses a directory, it is the\n" +
			"first one in PCP_DERIVED_CONFIG or, where that is not set, the directory of the system. On a terminal\n" +
			"the command asks before it replaces a file.",
		Doors: Both, Least: 1, Most: many, Files: true,
		New: func(f *Flags) Run {
			p, rules := f.place("replace a file with other content without asking"), f.Rules()
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				opt, err := rules()
				if err != nil {
					return err
				}
				return s.install(ctx, p, opt, args, w)
			}
		},
	}
}

func (s *Session) install(ctx context.Context, p *place, opt lint.Options, args []string, w io.Writer) error {
	t, _, err := s.tools()
	if err != nil {
		return err
	}
	dir, err := p.in(t)
	if err == nil && dir == "" {
		dir, err = t.Default()
	}
	if err != nil {
		return err
	}
	list, err := s.opt.Read(args)
	if err != nil {
		return err
	}
	found, err := s.lint(ctx, list, opt)
	if err != nil {
		return err
	}
	for i := range found {
		s.note(w, findingText(&found[i]))
	}
	if lint.Wrong(found) {
		return query.Problemf("nothing is installed: there are errors")
	}
	job := t.NewJob(dir, p.dry)
	job.Replace = func(question string) bool {
		return p.force || !p.dry && s.opt.Confirm(question)
	}
	var bad []error
	for _, file := range list {
		line, err := job.Install(filepath.Base(file.Name), file.Text)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		fmt.Fprintln(w, line)
	}
	for _, line := range job.Notes() {
		s.note(w, line)
	}
	return errors.Join(bad...)
}

func newUninstall() *Verb {
	return &Verb{
		Name: "uninstall", Usage: "FILE ...", Short: "Remove files of derived metrics from where the tools look",
		Long: "Remove files that install has put where the tools look, by their names with or without .conf. Files of\n" +
			"PCP's packages stay, unless --force removes the link to one.",
		Doors: Both, Least: 1, Most: many, Bare: true,
		New: func(f *Flags) Run {
			p := f.place("remove files of PCP's packages, too")
			return func(_ context.Context, s *Session, args []string, w io.Writer) error {
				t, _, err := s.tools()
				if err != nil {
					return err
				}
				dir, err := p.in(t)
				if err != nil {
					return err
				}
				var bad []error
				for _, arg := range args {
					line, err := t.Uninstall(arg, dir, p.force, p.dry)
					if err != nil {
						bad = append(bad, err)
						continue
					}
					fmt.Fprintln(w, line)
				}
				return errors.Join(bad...)
			}
		},
	}
}
