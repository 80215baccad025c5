package repl

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"pmtools/derive"
	"pmtools/derive/lint"
	"pmtools/derive/syntax"
)

// Stdin is the name of standard input among files.
const Stdin = "<stdin>"

type formatting struct{ write, diff, check, expand, pcp bool }

func newFmt() *Verb {
	return &Verb{
		Name: "fmt", Usage: "[FILE|DIR ...]", Short: "Print files of derived metrics in canonical form",
		Long: "Print files of derived metrics, or standard input, in canonical form. The definitions\n" +
			"keep their meaning. At the prompt they are those of the session where no file is named.",
		Doors: Both, Most: many, Bare: true, Files: true,
		New: func(f *Flags) Run {
			x := &formatting{}
			f.BoolVarP(&x.write, "write", "w", false, "write the result to the files instead")
			f.BoolVarP(&x.diff, "diff", "d", false, "print the changes instead; the status is 1 if there are any")
			f.BoolVarP(&x.check, "check", "l", false, "print the names of files that would change instead; the status is 1 if there are any")
			f.BoolVar(&x.expand, "expand", false, "put the definitions themselves in the place of their names")
			f.BoolVar(&x.pcp, "pcp", false, "write definitions of the extended language in that of PCP, and fail where values would change")
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				if x.write && len(args) == 0 {
					return misuse("standard input cannot be written to: name files")
				}
				list, unread := s.checked(f.Door, args)
				if unread != nil {
					s.complain(w, unread)
				}
				return s.format(ctx, x, list, unread != nil, w)
			}
		},
	}
}

// format writes the canonical form of files. It has failed before where others could not be read.
func (s *Session) format(ctx context.Context, x *formatting, list []lint.File, failed bool, w io.Writer) error {
	var inside *derive.Set
	rewrite := lint.Format
	if x.pcp {
		rewrite = lint.Portable
	}
	if x.expand || x.pcp {
		inside = s.defs
	}
	for _, file := range list {
		out, errs := rewrite(file.Name, file.Text, inside)
		if errs != nil {
			failed = true
			if err := s.explainFile(ctx, file, errs, w); err != nil {
				return err
			}
			continue
		}
		changed := !bytes.Equal(out, file.Text)
		switch {
		case x.check && changed:
			fmt.Fprintln(w, file.Name)
		case x.diff && changed:
			w.Write(diff.Diff(file.Name, file.Text, file.Name+" (formatted)", out))
		}
		failed = failed || changed && (x.check || x.diff)
		if x.write && changed && file.Name != Stdin {
			if err := s.opt.Files.WriteFile(file.Name, out, true); err != nil {
				s.complain(w, err)
				failed = true
			}
		}
		if !x.diff && !x.write && !x.check {
			w.Write(out)
		}
	}
	if failed {
		return ErrFound
	}
	return nil
}

// explainFile writes the mistakes in a file, as check does.
func (s *Session) explainFile(ctx context.Context, file lint.File, errs []*syntax.FileError, w io.Writer) error {
	l := lint.Linter{Definitions: s.defs}
	found, err := l.Files(ctx, []lint.File{file}, lint.Options{Syntax: true, Expand: true})
	if err != nil {
		return err
	}
	wrong := false
	for i := range found {
		if found[i].Severity == lint.SeverityError {
			s.note(w, findingText(&found[i]))
			wrong = true
		}
	}
	for i := 0; i < len(errs) && !wrong; i++ {
		s.note(w, strings.TrimSuffix(errs[i].Text(), "\n"))
	}
	return nil
}
