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
	add := func(of string, list []string, factor float32) {
		key := stems(of)
		for i, text := range list {
			if s := stems(text); !slices.Equal(s, key) {
				table[strings.Join(key, " ")] = append(table[strings.Join(key, " ")], synonym{text, s, factor - later*float32(i)})
			}
		}
	}
	for line := range strings.Lines(synonymText) {
		left, right, _ := strings.Cut(line, "|")
		heads, others := texts(left), texts(right)
		for _, h := range heads {
			add(h, heads, same)
			add(h, others, special)
		}
		for _, o := range others {
			add(o, heads, general)
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

// stems returns the stems of the words of a text.
func stems(text string) (list []string) {
	words(text, func(w string) { list = append(list, stem(w)) })
	return list
}
