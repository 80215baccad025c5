package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"pmtools/derive/repl"
)

// completeFunction proposes names of functions.
func completeFunction(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, f := range repl.Functions() {
		if strings.HasPrefix(f.Name, prefix) {
			names = append(names, f.Name+"\t"+f.Summary)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeExpr proposes continuations of an expression.
func (a *app) completeExpr(cmd *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
	none := cobra.ShellCompDirectiveNoFileComp
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	s, err := a.session(ctx, repl.Settings{})
	if err != nil {
		return nil, none
	}
	defer s.Close()
	texts, start := s.Complete(prefix, len(prefix))
	for i, t := range texts {
		texts[i] = prefix[:start] + t
	}
	return texts, none | cobra.ShellCompDirectiveNoSpace
}
