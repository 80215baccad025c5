package find

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"pmtools/internal/suggest"
)

// A Match is a metric that a question is about.
type Match struct {
	Name  string
	Score float64  // relative to that of the best one, which is 1
	Why   []Reason // for each word that matches

	metric int32
}

// A Reason tells why a word matches a metric.
type Reason struct {
	Word string `json:"word"`           // of the question
	As   string `json:"as,omitempty"`   // the synonym that stands for it, "" for itself
	In   string `json:"in"`             // name, text, help, definition, instance or label
	Text string `json:"text,omitempty"` // the instance or the label
}

// An Answer is what an Index has for a question.
type Answer struct {
	Matches []Match  // the best ones first
	Results []Result // the same, of a Finder
	Total   int      // how many there are
	Unknown []string // the words that match nothing
	Notes   []string // what people should know besides, of a Finder
}

// Bounds of a question.
const (
	maxWords = 16
	least    = 0.2 // the score of a match, compared with the best one
)

// The weight of a part of a word, compared with the word.
const (
	prefix    = 0.6
	suffix    = 0.5
	inside    = 0.3
	textStart = 0.5 // a prefix in a text
)

// Lengths of words that may be a part of others.
const (
	minPart   = 3
	minInside = 4
)

// A concept is a word, or several that are one term, with all that may stand for it.
type concept struct {
	word     string
	variants []synonym // the first one is the word itself
	optional bool      // it says little: metrics without it are as good
}

// concepts returns the concepts of a question.
func concepts(question string) []concept {
	var list []string
	words(question, func(w string) {
		if len(list) < maxWords {
			list = append(list, w)
		}
	})
	var out []concept
	for len(list) > 0 {
		n := min(2, len(list))
		key := strings.Join(stems(strings.Join(list[:n], " ")), " ")
		if n == 2 && synonyms()[key] == nil {
			n = 1
			key = stem(list[0])
		}
		word := strings.Join(list[:n], " ")
		c := concept{word: word, variants: []synonym{{"", stems(word), 1}}, optional: n == 1 && stop[word]}
		c.variants = append(c.variants, synonyms()[key]...)
		out, list = append(out, c), list[n:]
	}
	return out
}

// A hit is what matches a concept.
type hit struct {
	score   float32
	variant *synonym
	field   field
	text    string
}

// Find returns the metrics that a question is about, at most the first few of them; most is 0 for
// all. The error is that of ctx.
func (ix *Index) Find(ctx context.Context, question string, most int) (*Answer, error) {
	cs := concepts(question)
	a := new(Answer)
	total, best := make([]float32, len(ix.metrics)), make([]float32, len(ix.metrics))
	covered := make([]uint8, len(ix.metrics))
	needed := 0
	for i := range cs {
		c := &cs[i]
		clear(best)
		if err := ix.match(ctx, c, func(m int32, h *hit) { best[m] = max(best[m], h.score) }); err != nil {
			return nil, err
		}
		n := 0
		for _, b := range best {
			if b > 0 {
				n++
			}
		}
		if !c.optional {
			needed++
			if n == 0 {
				a.Unknown = append(a.Unknown, c.word)
			}
		}
		rare := float32(math.Log2(2 + float64(len(ix.metrics))/float64(n+1)))
		for m, b := range best {
			if b > 0 && !c.optional {
				covered[m]++
			}
			total[m] += b * rare
		}
	}
	a.Matches = ix.best(total, covered, needed)
	a.Total = len(a.Matches)
	if most > 0 && a.Total > most {
		a.Matches = a.Matches[:most]
	}
	return a, ix.explain(ctx, cs, a.Matches)
}

// best returns the metrics that are worth showing, the best ones first. A metric that matches half of
// the words counts a quarter, and of two names the one with fewer other words comes first.
func (ix *Index) best(total []float32, covered []uint8, needed int) []Match {
	var list []Match
	top := 0.0
	for m, s := range total {
		if covered[m] == 0 {
			continue
		}
		share := float64(covered[m]) / float64(needed)
		score := float64(s) * share * share * ix.metrics[m].worth()
		top = max(top, score)
		list = append(list, Match{Name: ix.metrics[m].name, Score: score, metric: int32(m)})
	}
	list = slices.DeleteFunc(list, func(m Match) bool { return m.Score < least*top })
	slices.SortFunc(list, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	for i := range list {
		list[i].Score /= top
	}
	return list
}

// worth returns a factor for what a metric is, whatever the question. Metrics without instances have no
// values, and those of the agents that demonstrate PCP tell nothing about a system.
func (m *metric) worth() float64 {
	f := 1 / (1 + 0.04*float64(m.words))
	if m.empty {
		f *= 0.85
	}
	switch first, _, _ := strings.Cut(m.name, "."); first {
	case "sample", "sampledso", "simple", "trivial":
		f *= 0.85
	}
	return f
}

// explain adds to matches why they are some.
func (ix *Index) explain(ctx context.Context, cs []concept, matches []Match) error {
	place := make(map[int32]int, len(matches))
	for i := range matches {
		place[matches[i].metric] = i
	}
	for i := range cs {
		best := make([]hit, len(matches))
		err := ix.match(ctx, &cs[i], func(m int32, h *hit) {
			if k, shown := place[m]; shown && h.score > best[k].score {
				best[k] = *h
			}
		})
		if err != nil {
			return err
		}
		for k, h := range best {
			if h.score > 0 {
				matches[k].Why = append(matches[k].Why, Reason{cs[i].word, h.variant.text, fields[h.field].name, h.text})
			}
		}
	}
	return nil
}

// match calls f for what matches a concept. A metric may match in several ways.
func (ix *Index) match(ctx context.Context, c *concept, f func(m int32, h *hit)) error {
	for i := range c.variants {
		v := &c.variants[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(v.stems) > 1 {
			ix.matchAll(v, f)
			continue
		}
		own := v.stems[0]
		if t, known := ix.terms[own]; known {
			ix.matchTerm(&ix.list[t], v, 1, 1, f)
			ix.matchShared(&ix.list[t], v, f)
		}
		if !c.optional && len(own) >= minPart {
			ix.matchParts(own, v, f)
		}
	}
	return nil
}

// matchTerm calls f for the metrics about which a term is used, with factors for names and for texts.
func (ix *Index) matchTerm(t *term, v *synonym, name, text float32, f func(m int32, h *hit)) {
	for _, p := range t.postings {
		if h := (hit{variant: v}); h.in(p.mask(), name, text) {
			f(p.metric(), &h)
		}
	}
}

// in gives h the best field of a mask, and reports whether there is one that counts.
func (h *hit) in(mask uint8, name, text float32) bool {
	for i := range fields {
		factor := text
		if 1<<i&nameFields != 0 {
			factor = name
		}
		if score := fields[i].weight * factor * h.variant.factor; mask&(1<<i) != 0 && score > h.score {
			h.score, h.field = score, field(i)
		}
	}
	return h.score > 0
}

// matchShared calls f for the metrics with an instance or a label in which a term is used.
func (ix *Index) matchShared(t *term, v *synonym, f func(m int32, h *hit)) {
	for _, s := range t.shared {
		h := hit{fields[s.field].weight * v.factor, v, s.field, s.text}
		for _, m := range ix.members[s.group] {
			f(m, &h)
		}
	}
}

// matchParts calls f for the metrics about which a longer word is used.
func (ix *Index) matchParts(own string, v *synonym, f func(m int32, h *hit)) {
	ix.containing(own, func(t *term, at int) {
		switch {
		case len(t.stem) == len(own):
		case at == 0 && len(own) >= minInside:
			ix.matchTerm(t, v, prefix, textStart, f)
		case at == 0:
			ix.matchTerm(t, v, prefix, 0, f)
		case strings.HasSuffix(t.stem, own):
			ix.matchTerm(t, v, suffix, 0, f)
		case len(own) >= minInside:
			ix.matchTerm(t, v, inside, 0, f)
		}
	})
}

// matchAll calls f for the metrics in whose name, or in one of whose texts, all words of a variant are.
func (ix *Index) matchAll(v *synonym, f func(m int32, h *hit)) {
	var rest []*term
	for _, s := range v.stems {
		t, known := ix.terms[s]
		if !known {
			return
		}
		rest = append(rest, &ix.list[t])
	}
	for _, p := range rest[0].postings {
		mask := wide(p.mask())
		for _, t := range rest[1:] {
			i, found := slices.BinarySearchFunc(t.postings, p.metric(), func(p posting, m int32) int { return cmp.Compare(p.metric(), m) })
			if !found {
				mask = 0
				break
			}
			mask &= wide(t.postings[i].mask())
		}
		if h := (hit{variant: v}); h.in(mask&^(1<<inLast|1<<inFirst), 1, 1) {
			f(p.metric(), &h)
		}
	}
}

// wide returns a mask with all fields of the name if it has one of them.
func wide(mask uint8) uint8 {
	if mask&nameFields != 0 {
		mask |= nameFields
	}
	return mask
}

// near returns words of names, and those that have synonyms, that an unknown word may be meant as.
func (ix *Index) near(word string) []string {
	known := make(map[string]bool)
	words(synonymText, func(w string) { known[w] = true })
	for i := range ix.metrics {
		words(ix.metrics[i].name, func(w string) { known[w] = true })
	}
	return suggest.Names(word, slices.Sorted(maps.Keys(known)))
}
