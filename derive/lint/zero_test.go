package lint_test

import (
	"testing"

	"pmtools/derive/lint"
)

// TestZero looks for mistakes without a source, definitions and options.
func TestZero(t *testing.T) {
	var l lint.Linter
	found, err := l.Files(t.Context(), []lint.File{{Name: "f", Text: []byte("a.b = rate(x)\na.c = 1 +\n")}}, lint.Options{})
	if err != nil || len(found) != 1 || found[0].Line != 2 {
		t.Errorf("%+v, %v", found, err)
	}
}
