package item_test

import (
	"slices"
	"testing"

	"pmtools/cmd/internal/item"
	_ "pmtools/test/env"
)

func TestList(t *testing.T) {
	for text, want := range map[string][]string{
		"a":                                 {"a"},
		"a, b , c;":                         {"a", "b", "c"},
		`rescale(a, "Kbyte"), b[x, y], c+d`: {`rescale(a, "Kbyte")`, "b[x, y]", "c+d"},
		"(a, b)":                            {"(a, b)"},
		"sum(a) by (b, c), topn(1, d), e":   {"sum(a) by (b, c)", "topn(1, d)", "e"},
		"a, , b":                            {"a", "", "b"},
		"a +":                               {"a +"},
		"":                                  {""},
	} {
		if got := item.List(text); !slices.Equal(got, want) {
			t.Errorf("List(%q) = %q, want %q", text, got, want)
		}
	}
}
