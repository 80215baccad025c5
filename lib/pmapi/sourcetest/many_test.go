package sourcetest

// The liar answers many questions at once as it does one after the other, unless many is set.

// manyLies returns lies about questions that are asked together.
func manyLies() []lie {
	many := func(l *liar) { l.many = true }
	return []lie{
		{"names alone", "walk", "without identifiers", many},
		{"instances", "instances", "among others", many},
		{"labels", "labels", "among others", many},
		{"times of labels", "labels", "at 1", func(l *liar) { l.since = 1 << 40 }},
		{"texts", "texts", "among others", many},
	}
}
