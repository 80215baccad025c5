package ere

// A place is what an assertion requires of a position in the text.
type place uint8

const (
	placeStart      place = iota // of the text
	placeEnd                     // of the text
	placeWordStart               // of a word
	placeWordEnd                 // of a word
	placeWordEdge                // start or end of a word
	placeNoWordEdge              // neither start nor end of a word
)

func (p place) holds(text string, i int) bool {
	before := i > 0 && isWord(text[i-1])
	after := i < len(text) && isWord(text[i])
	switch p {
	case placeStart:
		return i == 0
	case placeEnd:
		return i == len(text)
	case placeWordStart:
		return !before && after
	case placeWordEnd:
		return before && !after
	case placeWordEdge:
		return before != after
	}
	return before == after
}
