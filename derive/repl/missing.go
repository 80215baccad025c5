package repl

import (
	"errors"
	"fmt"

	"pmtools/derive/diagnose"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// The errors of requests about metrics are codes of PCP, whose texts name neither the metric nor what
// to do. They are told here for people.

// instancesProblem tells why a metric has no instances.
func instancesProblem(name string, d pcp.InDom, err error) error {
	p := &Problem{Msg: fmt.Sprintf("the source knows no instances of %s: it has nothing about the domain %s", name, d), Err: err}
	if !errors.Is(err, pmerr.InDom) && !errors.Is(err, pmerr.InDomLog) {
		p.Msg = "the instances of " + name + " cannot be listed: " + diagnose.LowerFirst(err.Error())
	}
	return p
}

// textProblem tells why a metric has no help text.
func (s *Session) textProblem(name string, err error) error {
	p := &Problem{Msg: "there is no help text of " + name, Err: err}
	switch {
	case s.defs.FindOwn(name) != nil:
		p.Notes = []string{name + "(oneline) = TEXT sets it"}
	case errors.Is(err, pmerr.NotHost):
		p.Msg = "the recording has no help texts"
		p.Notes = []string{"the metric of a live source may have one: pmderive -L, or -h HOST, ':text " + name + "'"}
	case !errors.Is(err, pmerr.Text):
		p.Msg = "the help text of " + name + " cannot be read: " + diagnose.LowerFirst(err.Error())
	}
	return p
}
