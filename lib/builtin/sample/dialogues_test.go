package sample

import (
	_ "embed"
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// dialogueText has the dialogues that are written by hand.
//
//go:embed testdata/dialogues.txt
var dialogueText string

// A dialogue is a list of requests, to be made of an agent that has just been started.
type dialogue struct {
	name  string
	lines string // for talker.do; "5* " in front of one repeats it
}

// requests returns the lines of a dialogue one by one.
func (d *dialogue) requests() iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(d.lines) {
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

// dialogues returns dialogues about everything that the agent does.
func dialogues() []dialogue {
	var list []dialogue
	for text := range strings.SplitSeq(dialogueText, "== ") {
		if name, lines, ok := strings.Cut(text, "\n"); ok {
			list = append(list, dialogue{name, lines})
		}
	}
	list = append(list, descriptions())
	for _, values := range []string{"32 -1=1", "64 -1=1", "float -1=1.5", "double -1=1.5", "string -1=x", "aggr -1=x", "32 -1=1 0=2", "64 100=1 200=2"} {
		list = append(list, storesOf(values))
	}
	return list
}

func descriptions() dialogue {
	var b strings.Builder
	for item := range 1024 {
		if item < 190 || item >= 995 {
			fmt.Fprintf(&b, "desc %d\n", item)
		}
	}
	return dialogue{"descriptions", b.String()}
}

func storesOf(values string) dialogue {
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
	return dialogue{name, b.String()}
}
