package sourcetest

import (
	"context"

	"pmtools/lib/pcp"
)

// The liar answers many questions at once as it does one after the other, unless many is set.

func (l *liar) WalkNames(ctx context.Context, name string, f func(string) bool) error {
	return l.Walk(ctx, name, func(name string, _ pcp.ID) bool {
		if l.many {
			name += "?"
		}
		return f(name)
	})
}

// manyLies returns lies about questions that are asked together.
func manyLies() []lie {
	many := func(l *liar) { l.many = true }
	return []lie{
		{"names", "names alone", "WalkNames", many},
		{"instances", "instances", "among others", many},
		{"labels", "labels", "among others", many},
		{"times of labels", "labels", "at 1", func(l *liar) { l.since = 1 << 40 }},
		{"texts", "texts", "among others", many},
	}
}
