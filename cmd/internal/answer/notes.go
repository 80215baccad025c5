package answer

import (
	"regexp"
	"slices"
	"strings"

	"pmtools/internal/textwidth"
)

// namesShown is how many names a note has.
const namesShown = 3

// Notes returns notes in which those that are equal but for names are one: it has the first few names, and how many others there are.
// A place that has the names of one before it again has only the first of them.
func Notes(lines []string) (list []string) {
	// The name of a metric, with an instance or not, or of a file, with a line or not.
	aName := regexp.MustCompile(`[A-Za-z]\w*(?:\.\w+)+(?:\[[^\]]*\]|:\d+)?`)
	names := make(map[string][][]string) // of each line, by the text around them
	var order []string
	for _, line := range lines {
		text := aName.ReplaceAllLiteralString(line, "\x00")
		if names[text] == nil {
			order = append(order, text)
		}
		names[text] = append(names[text], aName.FindAllString(line, -1))
	}
	for _, text := range order {
		var before [][]string
		note := text
		for i := range strings.Count(text, "\x00") {
			var at, once []string
			for _, line := range names[text] {
				if at = append(at, line[i]); !slices.Contains(once, line[i]) {
					once = append(once, line[i])
				}
			}
			if slices.ContainsFunc(before, func(other []string) bool { return slices.Equal(other, at) }) {
				once = once[:1]
			}
			before = append(before, at)
			note = strings.Replace(note, "\x00", textwidth.Few(once, namesShown), 1)
		}
		list = append(list, note)
	}
	return list
}
