package manual_test

import (
	"os"
	"strings"
	"testing"

	"pmtools/cmd/internal/manual"
	"pmtools/derive/check"
)

// TestExtended compares the table of docs/derive.md and the topic with the functions.
func TestExtended(t *testing.T) {
	text, err := os.ReadFile("../../../docs/derive.md")
	if err != nil {
		t.Fatal(err)
	}
	var topic strings.Builder
	if known, err := manual.Write(&topic, "extended"); !known || err != nil {
		t.Fatal(known, err)
	}
	for _, f := range check.Extensions() {
		row := "| `" + f.Signature + "` | " + f.Summary + " | " + f.Metadata + " |\n"
		if !strings.Contains(string(text), row) {
			t.Errorf("docs/derive.md lacks %s", row)
		}
		if !strings.Contains(topic.String(), manual.Function(f)) {
			t.Errorf("the topic lacks %s", f.Name)
		}
	}
}
