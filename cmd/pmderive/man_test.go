package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pmtools/cmd/internal/cli"
)

// TestManual checks that the manual page describes every command, option and item.
func TestManual(t *testing.T) {
	page, err := os.ReadFile("../../man/pmderive.1")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(page), `\-`, "-")
	a := newCommand(&cli.Env{LookupEnv: func(string) (string, bool) { return "", false }})
	root := a.newRoot()
	n := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		n++
		if !strings.Contains(text, c.Name()) {
			t.Errorf("man/pmderive.1 does not document %s", c.Name())
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(text, "--"+f.Name) {
				t.Errorf("man/pmderive.1 does not document --%s of %s", f.Name, c.Name())
			}
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	root.SetOut(io.Discard)
	visit(root)
	if n < 6 {
		t.Errorf("%d commands", n)
	}
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !strings.Contains(text, "--"+f.Name) {
			t.Errorf("man/pmderive.1 does not document --%s", f.Name)
		}
	})
	for _, item := range []string{
		":explain", ":watch", ":plot", ":metrics", ":desc", ":inst", ":text", ":labels", ":list", ":show", ":drop", ":load", ":save", ":save!",
		":source", ":time", ":step", ":next", ":prev", ":set", ":debug", ":help", ":quit",
		":run", ":output", ":edit", ":timing", ":vertical", ":top", ":find", ":describe", ":d", ":report", ":reports", ":install", ":uninstall", ":install!",
	} {
		if !strings.Contains(text, `\fB`+item+`\fR`) {
			t.Errorf("man/pmderive.1 does not document %s", item)
		}
	}
}
