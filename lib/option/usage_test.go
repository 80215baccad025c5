package option

import (
	"strings"
	"testing"
)

// TestUsageLine: a line is broken when its left part reaches the column of the texts.
func TestUsageLine(t *testing.T) {
	column := strings.Repeat(" ", textColumn)
	tests := []struct{ name, short, long, word, want string }{
		{"switch", "d", "desc", "", "  -d, --desc            text\n"},
		{"argument", "Z", "timezone", "TZ", "  -Z TZ, --timezone=TZ  text\n"},
		{"long only", "", "derived", "FILE", "  --derived=FILE        text\n"},
		{"long only switch", "", "json", "", "  --json                text\n"},
		{"one blank left", "e", "metadata-errors", "", "  -e, --metadata-errors text\n"},
		{"no blank left", "e", "metadata-errorss", "", "  -e, --metadata-errorss\n" + column + "text\n"},
		{"too long", "n", "namespace", "FILE", "  -n FILE, --namespace=FILE\n" + column + "text\n"},
		{"question mark", "?", "help", "", "  -?, --help            text\n"},
		{"digit", "1", "desc-oneline", "", "  -1, --desc-oneline    text\n"},
	}
	for _, test := range tests {
		o := &Option{Long: test.long, Short: test.short, Word: test.word, Text: "text"}
		if got := o.usage(); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
