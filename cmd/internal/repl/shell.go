package repl

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"pmtools/derive/query"
)

func newShell() *Verb {
	return &Verb{
		Name: "!", Usage: "[COMMAND]", Short: "Run a command of the shell, or a shell", Operands: Text, Most: 1,
		New: plain(func(_ context.Context, s *Session, args []string, _ io.Writer) error {
			if s.opt.Shell == nil {
				return query.Problemf("there is no shell here")
			}
			return s.opt.Shell(strings.Join(args, ""))
		}),
	}
}

func newHistory() *Verb {
	return &Verb{
		Name: "history", Usage: "[N]", Short: "List what was typed at the prompt before, or the last N items", Most: 1,
		New: plain(func(_ context.Context, s *Session, args []string, w io.Writer) error {
			if s.opt.History == nil {
				return query.Problemf("there is no history here")
			}
			list := s.opt.History()
			if len(args) > 0 {
				n, err := strconv.Atoi(args[0])
				if err != nil || n < 1 {
					return query.Problemf("'%s' is not a number of items; as in :history 20", args[0])
				}
				list = list[max(0, len(list)-n):]
			}
			for _, item := range list {
				fmt.Fprintln(w, item)
			}
			return nil
		}),
	}
}

func newReset() *Verb {
	return &Verb{
		Name: "reset", Short: "Drop the lines of an item that waits for more, as Ctrl-C does",
		New: plain(func(context.Context, *Session, []string, io.Writer) error { return nil }),
	}
}
