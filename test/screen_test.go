package test

import (
	"flag"
	"fmt"
	"html"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/screen.svg")

// screen is what the picture of README.md shows: each command runs on the archive demo.
var screen = [][]string{
	{"sum(rate(disk.dev.total))"},
	{"find", "disk bytes"},
	{"eval", "-t", "2min", "-s", "4", "disk.dev.total"},
	{"eval", "-t", "15s", "-s", "40", "--plot", "disk.dev.total_bytes[sda]"},
}

// TestScreen: the picture shows what the commands print now.
func TestScreen(t *testing.T) {
	t.Parallel()
	var lines []string
	dir := demo(t)
	for _, args := range screen {
		typed := "$ pmderive -a demo"
		for _, a := range args {
			if strings.ContainsAny(a, "()[ ") {
				a = "'" + a + "'"
			}
			typed += " " + a
		}
		c := exec.Command(command(t, "pmderive"), append([]string{"-a", "demo"}, args...)...)
		c.Dir = dir
		out, _ := c.CombinedOutput() // the first is a mistake
		lines = append(append(lines, typed), strings.Split(strings.TrimRight(string(out), "\n"), "\n")...)
	}
	want, file := picture(lines), "../docs/screen.svg"
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(got), "\n"), strings.Split(want, "\n")); d != "" {
		t.Errorf("docs/screen.svg is not what the commands print; make sessions writes it (-picture +now)\n%s", d)
	}
}

// picture returns lines of a terminal as SVG: commands are bright, messages have the colour of a warning.
func picture(lines []string) string {
	const width, height = 8, 18
	columns := 0
	for _, line := range lines {
		columns = max(columns, utf8.RuneCountInString(line))
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">`+"\n"+
		`<rect width="100%%" height="100%%" rx="8" fill="#16181d"/>`+"\n", width*(columns+4), height*(len(lines)+2))
	problem := false
	for i, line := range lines {
		colour := "#c8ccd4"
		switch command := strings.HasPrefix(line, "$ "); {
		case command:
			colour, problem = "#8fd18f", false
		case strings.HasPrefix(line, "pmderive: "):
			colour, problem = "#f0a070", true
		case problem:
			colour = "#e8c890"
		}
		if line != "" {
			fmt.Fprintf(&b, `<text x="%d" y="%d" fill="%s" textLength="%d" xml:space="preserve">%s</text>`+"\n",
				2*width, height*(i+2)-4, colour, width*utf8.RuneCountInString(line), html.EscapeString(line))
		}
	}
	return b.String() + "</svg>\n"
}
