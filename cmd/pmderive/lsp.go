package main

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"pmtools/cmd/internal/grid"
	"pmtools/cmd/internal/lsp"
	"pmtools/cmd/internal/repl"
	"pmtools/derive/check"
	"pmtools/derive/lint"
	"pmtools/lib/pmapi"
)

// patience is how long the language server waits for the source before it shows mistakes of syntax.
const patience = 100 * time.Millisecond

// gcPercent is how much the heap may grow between collections while definitions are checked. Those of a
// file need some megabytes, and collecting them again and again takes longer than the check.
const gcPercent = 200

// memoryLimit is from where on the heap is collected more often instead of growing by gcPercent: a file of
// 100,000 definitions needs 650 MB.
const memoryLimit = 1 << 30

func (a *app) newLSP() *repl.Verb {
	return &repl.Verb{
		Name: "lsp", Short: "Serve an editor that opens files of derived metrics (Language Server Protocol)",
		Long: "Serve an editor over standard input and output, in the Language Server Protocol: the reports of\n" +
			"check during typing, completion, descriptions of metrics and expressions, definitions and\n" +
			"references, renaming, the form of fmt, an outline, and changes that mend mistakes. The options,\n" +
			"or the editor's settings, name the source.",
		Doors: repl.Shell,
		New: func(f *repl.Flags) repl.Run {
			rules := f.Rules()
			f.Bool("stdio", false, "serve standard input and output (the default)")
			return func(ctx context.Context, _ *repl.Session, _ []string, _ io.Writer) error {
				found, err := rules()
				if err != nil {
					return err
				}
				return a.serve(ctx, found)
			}
		},
	}
}

func (a *app) serve(ctx context.Context, found lint.Options) error {
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(memoryLimit)
	a.sources.LoadDefault()
	a.sources.Silent = true
	opt := lsp.Options{Lint: found, Patience: patience, Client: func(pid int) { go endWith(pid) }}
	base, err := a.replOptions(repl.Settings{Language: check.Extended})
	if err != nil {
		return err
	}
	opt.Kind, opt.Name = base.Kind, base.Name
	var opening sync.Mutex // a.open changes the options
	base.Open = func(ctx context.Context, kind, name string) (pmapi.Source, error) {
		opening.Lock()
		defer opening.Unlock()
		return a.open(ctx, kind, name)
	}
	base.Table = func(ctx context.Context, w io.Writer, t *repl.Table) error { return grid.Draw(ctx, w, t, hoverWidth) }
	opt.Session = func(kind, name string) (lsp.Session, error) {
		own := *base
		own.Kind, own.Name = kind, name
		if kind == lsp.NoSource {
			own.Open = nil
		}
		return repl.New(&own), nil
	}
	return lsp.Serve(ctx, a.Env.Stdin, a.Env.Stdout, &opt)
}

// endWith ends the program when a process has ended. An editor that is killed may leave its pipe open in other children.
func endWith(pid int) {
	for range time.Tick(3 * time.Second) {
		p, err := os.FindProcess(pid)
		if err != nil || errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) {
			os.Exit(1)
		}
		_ = p.Release() // there is nothing to free that would not go with the program
	}
}

// hoverWidth is how wide a tree is drawn that an editor shows in a window of its own.
const hoverWidth = 100
