package sampletest

import (
	_ "embed"
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// dialogueText has the dialogues that are written by hand.
//
//go:embed dialogues.txt
var dialogueText string

// A Dialogue is a list of requests, to be made of an agent that has just been started.
type Dialogue struct {
	Name  string
	Lines string // for Talker.Do; "5* " in front of one repeats it
}

// Requests returns the lines of a dialogue one by one.
func (d *Dialogue) Requests() iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(d.Lines) {
			line = strings.TrimSpace(line)
			times := 1
			if n, rest, ok := strings.Cut(line, "* "); ok {
				times, _ = strconv.Atoi(n)
				line = rest
			}
			for range times {
				if line != "" && !yield(line) {
					return
				}
			}
		}
	}
}

// Dialogues returns dialogues about everything that the agent does.
func Dialogues() []Dialogue {
	var list []Dialogue
	for text := range strings.SplitSeq(dialogueText, "== ") {
		if name, lines, ok := strings.Cut(text, "\n"); ok {
			list = append(list, Dialogue{name, lines})
		}
	}
	list = append(list, descriptions())
	for _, values := range []string{"32 -1=1", "64 -1=1", "float -1=1.5", "double -1=1.5", "string -1=x", "aggr -1=x", "32 -1=1 0=2", "64 100=1 200=2"} {
		list = append(list, stores(values))
	}
	return list
}

func descriptions() Dialogue {
	var b strings.Builder
	for item := range 1024 {
		if item < 190 || item >= 995 {
			fmt.Fprintf(&b, "desc %d\n", item)
		}
	}
	return Dialogue{"descriptions", b.String()}
}

func stores(values string) Dialogue {
	var b strings.Builder
	for item := range 185 {
		switch item {
		case 0, 56, 87, 88, 89, 90, 169: // they end the agent, let it sleep, or change other values
			continue
		}
		fmt.Fprintf(&b, "store %d %s\n", item, values)
	}
	for _, item := range []int{1008, 1001, 1023} {
		fmt.Fprintf(&b, "store %d %s\n", item, values)
	}
	kind, rest, _ := strings.Cut(values, " ")
	name := "store any " + kind
	if strings.Contains(rest, " ") {
		name += " two"
	}
	return Dialogue{name, b.String()}
}
