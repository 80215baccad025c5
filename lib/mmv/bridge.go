package mmv

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"
)

// Every calls update at once and then in intervals, until ctx is done: for values that are not
// updated where they change, but looked up. It returns the error of ctx.
func Every(ctx context.Context, interval time.Duration, update func()) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		update()
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
		if err := ctx.Err(); err != nil { // even if it is time for an update, too
			return err
		}
	}
}

// NameOf makes the name of a metric, or one component of a name, from a text: each character that
// names do not allow becomes an underscore.
func NameOf(text string) string {
	name := strings.Map(func(c rune) rune {
		if c == '.' || c < utf8.RuneSelf && ValidName(string(c)) {
			return c
		}
		return '_'
	}, text)
	if !ValidName(name) { // an empty part
		name = "_" + strings.ReplaceAll(name, ".", "_")
	}
	return cut(name)
}

// About is [Help] for a text of any length: its first sentence becomes the one-line text, and the
// rest is cut to 255 bytes.
func About(text string) Option {
	text = strings.ReplaceAll(text, "\x00", "")
	line, _, _ := strings.Cut(text, "\n")
	if sentence, _, more := strings.Cut(line, ". "); more {
		line = sentence
	}
	if line == text {
		return Help(cut(line))
	}
	return Help(cut(line), cut(text))
}

// cut returns the beginning of a text that fits a string of a file, in whole characters.
func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	n := maxText
	for !utf8.RuneStart(text[n]) && n > maxText-utf8.UTFMax {
		n--
	}
	return text[:n]
}
