package find

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"pmtools/cmd/internal/answer"
	"pmtools/cmd/internal/describe"
	"pmtools/derive/diagnose"
	"pmtools/lib/pcp"
)

// This file has the rules of the ranking:
//
//   - A word at a metric weighs as much as its place (see places).
//   - A synonym weighs less than the word itself, and a part of a word of a name, of three letters or more, half of the word. The best of these counts.
//   - A word that few metrics have weighs more than one that many have.
//   - A metric that has half of the words counts a quarter.
//   - Of two others alike, the one with the shorter name comes first, one with instances, and one that is of the system and no demonstration of PCP.

const (
	maxWords = 16  // of a question
	least    = 0.2 // the score of a match, compared with the best one
	part     = 0.6 // the weight of a part of a word
	minPart  = 3   // its length
)

// A Match is a metric that a question is about, as JSON has it.
type Match struct {
	Name  string      `json:"metric"`
	Score json.Number `json:"score"` // relative to that of the best one, which is 1
	answer.Metadata
	OneLine        string   `json:"oneline,omitempty"`
	describe.Value          // an example; not set if there is none
	Why            []Reason `json:"why"` // for each word that matches

	score  float64
	metric int32
	desc   pcp.Desc
}

// A Reason tells why a word matches a metric.
type Reason struct {
	Word string `json:"word"`           // of the question
	As   string `json:"as,omitempty"`   // the synonym that stands for it, "" for itself
	In   string `json:"in"`             // name, text, help, definition or instance
	Text string `json:"text,omitempty"` // the instance
}

// An Answer is what there is for a question.
type Answer struct {
	Matches []Match  // the best ones first
	Total   int      // how many there are
	Unknown []string // the words that match nothing
	Notes   []string // what people should know besides
}

// A concept is a word, or several that are one term, with all that may stand for it.
type concept struct {
	word     string
	variants []synonym // the first one is the word itself
	optional bool      // it says little: metrics without it are as good
}

// concepts returns the concepts of a question.
func concepts(question string) (out []concept) {
	var list []string
	words(question, func(w string) { list = append(list, w) })
	for list = list[:min(len(list), maxWords)]; len(list) > 0; {
		n := min(2, len(list))
		key := strings.Join(stems(strings.Join(list[:n], " ")), " ")
		if n == 2 && synonyms()[key] == nil {
			n, key = 1, stem(list[0])
		}
		word := strings.Join(list[:n], " ")
		variants := append([]synonym{{"", stems(word), 1}}, synonyms()[key]...)
		out, list = append(out, concept{word, variants, n == 1 && stop[word]}), list[n:]
	}
	return out
}

// A hit is the best that a metric has of a concept.
type hit struct {
	score   float32 // 0 for nothing
	variant int32
	text    int32
}

// find returns the metrics that a question is about, at most the first few of them; most is 0 for
// all. The error is that of ctx.
func (ix *index) find(ctx context.Context, question string, most int) (*Answer, error) {
	cs := concepts(question)
	a, hits, needed := new(Answer), make([][]hit, len(cs)), 0
	total, covered := make([]float64, len(ix.metrics)), make([]int, len(ix.metrics))
	for i := range cs {
		var err error
		if hits[i], err = ix.hits(ctx, &cs[i]); err != nil {
			return nil, err
		}
		n := 0
		for _, h := range hits[i] {
			if h.score > 0 {
				n++
			}
		}
		counts := 1
		if cs[i].optional {
			counts = 0
		} else if n == 0 {
			a.Unknown = append(a.Unknown, cs[i].word)
		}
		needed += counts
		rare := math.Log2(2 + float64(len(ix.metrics))/float64(n+1))
		for m, h := range hits[i] {
			if h.score > 0 {
				covered[m] += counts
				total[m] += float64(h.score) * rare
			}
		}
	}
	top := 0.0
	for m := range total {
		share := float64(covered[m]) / float64(max(needed, 1))
		total[m] *= share * share * ix.metrics[m].worth
		top = max(top, total[m])
	}
	for m, score := range total {
		if score > 0 && score >= least*top {
			a.Matches = append(a.Matches, Match{Name: ix.metrics[m].name, score: score / top, metric: int32(m)})
		}
	}
	slices.SortFunc(a.Matches, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	if a.Total = len(a.Matches); most > 0 {
		a.Matches = a.Matches[:min(most, a.Total)]
	}
	for k := range a.Matches {
		m := &a.Matches[k]
		m.Score, m.Why = json.Number(strconv.FormatFloat(m.score, 'f', 3, 64)), ix.reasons(cs, hits, m.metric)
	}
	return a, nil
}

// worth returns a factor for what a metric is, whatever the question. Metrics of the agents that demonstrate PCP tell nothing about
// a system, and those without instances have no values.
func worth(name string) float64 {
	f := 1 / (1 + 0.04*float64(len(stems(name))))
	switch first, _, _ := strings.Cut(name, "."); first {
	case "sample", "sampledso", "simple", "trivial":
		f *= lessWorth
	}
	return f
}

const lessWorth = 0.85

// reasons tells why a metric matches.
func (ix *index) reasons(cs []concept, hits [][]hit, m int32) (list []Reason) {
	for i := range cs {
		if h := hits[i][m]; h.score > 0 {
			t := &ix.texts[h.text]
			list = append(list, Reason{cs[i].word, cs[i].variants[h.variant].text, places[t.place].name, t.shown})
		}
	}
	return list
}

// hits returns the best that each metric has of a concept.
func (ix *index) hits(ctx context.Context, c *concept) ([]hit, error) {
	best := make([]hit, len(ix.metrics))
	for i := range c.variants {
		v := &c.variants[i]
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for n := range ix.texts {
			t := &ix.texts[n]
			h := hit{places[t.place].weight * v.within(t, !c.optional), int32(i), int32(n)}
			for _, m := range t.metrics {
				if h.score > best[m].score {
					best[m] = h
				}
			}
		}
	}
	return best, nil
}

// within returns the factor of a synonym if a text has all of its words, or if one of a name has it as a part, else 0.
func (v *synonym) within(t *text, parts bool) float32 {
	whole := true
	for _, s := range v.stems {
		whole = whole && strings.Contains(t.stems, " "+s+" ")
	}
	switch own := v.stems[0]; {
	case whole:
		return v.factor
	case parts && t.place == inName && len(v.stems) == 1 && len(own) >= minPart && strings.Contains(t.stems, own):
		return v.factor * part
	}
	return 0
}

// meant proposes words of names, and those that have synonyms, that an unknown word may be meant as.
func (ix *index) meant(word string) []string {
	known := make(map[string]bool)
	words(synonymText, func(w string) { known[w] = true })
	for i := range ix.metrics {
		words(ix.metrics[i].name, func(w string) { known[w] = true })
	}
	return diagnose.DidYouMean(word, slices.Sorted(maps.Keys(known)))
}
