package lint_test

import (
	"testing"

	"pmtools/derive"
	"pmtools/derive/lint"

	_ "pmtools/test/env"
)

func TestFormat(t *testing.T) {
	for _, tt := range []struct {
		text   string
		expand bool
		want   string
		errs   string
	}{
		{"b=a+1\na= c\n", false, "b = a + 1\n\na = c\n", ""},
		{"# x\nb=a+1\nb(oneline) = y\na= c*2\n", true, "# x\nb = (c * 2) + 1\nb(oneline) = y\n\na = c * 2\n", ""},
		{"a = sum(b)\nb = c\n", true, "", "[f:1] Error: a: sum() takes the name of a metric and no expression, and b is a derived metric"},
		{"a = b\nb = a\n", true, "", "[f:1] Error: a: a is defined by itself: a -> b -> a"},
		{"a = \n", true, "", "[f:1] Error: pmLoadDerivedConfig: expression missing"},
	} {
		var inside *derive.Set
		if tt.expand {
			inside = derive.NewSet()
		}
		out, errs := lint.Format("f", []byte(tt.text), inside)
		msg := ""
		if len(errs) > 0 {
			msg = errs[0].Error()
		}
		if string(out) != tt.want || msg != tt.errs {
			t.Errorf("%q: %q, %q", tt.text, out, msg)
		}
	}
}
