package find

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// synonymText has words of the field that people ask by, and the words that PCP's metrics have for
// them. The words before the bar mean the same; each of them stands for those after the bar, too. A word
// after the bar also stands for those before it, but says less; those that say most come first. A text of
// several words is found where all of them are.
//
//go:embed synonyms.txt
var synonymText string

// The weight of a synonym, compared with the word itself.
const (
	same    = 0.9  // another word for the same
	special = 0.75 // a word of metrics for it
	general = 0.35 // a word that it is a part of
	later   = 0.01 // less for each place in a list
)

// A synonym is another text for a word, of one word or of several.
type synonym struct {
	text   string
	stems  []string
	factor float32
}

// synonyms has those of each text, by its stems with blanks between them.
var synonyms = sync.OnceValue(func() map[string][]synonym {
	table := make(map[string][]synonym)
	for line := range strings.Lines(synonymText) {
		left, right, _ := strings.Cut(line, "|")
		heads, others := texts(left), texts(right)
		for _, h := range heads {
			addSynonyms(table, h, heads, same)
			addSynonyms(table, h, others, special)
		}
		for _, o := range others {
			addSynonyms(table, o, heads, general)
		}
	}
	return table
})

// texts returns the texts of a list.
func texts(list string) []string {
	var all []string
	for _, t := range strings.Split(list, ",") {
		if t = strings.TrimSpace(t); t != "" {
			all = append(all, t)
		}
	}
	return all
}

// addSynonyms adds synonyms of a text, each with the largest of its factors.
func addSynonyms(table map[string][]synonym, of string, list []string, factor float32) {
	key := strings.Join(stems(of), " ")
	for i, text := range list {
		s := synonym{text, stems(text), factor - later*float32(i)}
		if strings.Join(s.stems, " ") == key {
			continue
		}
		old := slices.IndexFunc(table[key], func(o synonym) bool { return slices.Equal(o.stems, s.stems) })
		if old < 0 {
			table[key] = append(table[key], s)
		} else {
			table[key][old].factor = max(table[key][old].factor, s.factor)
		}
	}
}

// stems returns the stems of the words of a text.
func stems(text string) (list []string) {
	words(text, func(w string) { list = append(list, stem(w)) })
	return list
}
