package manual_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"pmtools/cmd/internal/manual"
	"pmtools/derive/check"
	"pmtools/derive/syntax"
	_ "pmtools/test/env"
)

var update = flag.Bool("update", false, "write the manual page")

// page is the manual page that is made of the topics.
const page = "../../../man/pmderived.5"

// TestPage compares the manual page with the topics.
func TestPage(t *testing.T) {
	want := roff()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the topics say (%v); go test ./cmd/internal/manual -update writes it", page, err)
	}
}

// roff returns the page.
func roff() string {
	var b strings.Builder
	b.WriteString(`.\" Made of cmd/internal/manual/language.txt; change that.
.TH PMDERIVED 5 "" "pmtools" "File formats"
.SH NAME
pmderived \- the language of derived metrics
.SH DESCRIPTION
A derived metric is an expression over metrics of Performance Co\-Pilot that is used like a metric.
.BR pminfo (1),
.BR pmval (1)
and
.BR pmderive (1)
evaluate them in one way. At the prompt of
.B pmderive
each section of this page is shown by
.BR ":help \fISECTION\fP" .
.PP
.nf
disk.all.await = delta(disk.all.total_rawactive) / delta(disk.all.total)
.fi
`)
	for _, topic := range manual.Topics() {
		fmt.Fprintf(&b, ".SH %s: %s\n", strings.ToUpper(topic.Name), escape(topic.Summary))
		if topic.Name != "functions" {
			body(&b, topic.Text)
			continue
		}
		for _, f := range check.Functions() {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n.br\nMetadata: %s.\n.br\nExample: %s\n",
				escape(f.Signature), escape(f.Summary), escape(f.Metadata), escape(f.Example))
		}
	}
	b.WriteString(environment + ".SH SEE ALSO\n.BR pmtools (7),\n.BR pmderive (1),\n.BR pminfo (1),\n.BR pmval (1)\n")
	return b.String()
}

// environment has the variables that matter for definitions, and examples.
const environment = `.SH EXAMPLES
.PP
.nf
pmderive \-a demo explain \(aqrate(disk.dev.total_bytes) / rate(disk.dev.total)\(aq
pmderive \-a demo eval \-t 2min \(aqrate(disk.dev.total_bytes)\(aq
pminfo \-a demo \-f \-r \(aqdisk.all.kb = sum(disk.dev.total_bytes)\(aq disk.all.kb
pminfo \-a demo \-f \-c reads\-fixed.conf disk
.fi
.SH ENVIRONMENT
.TP
.B PCP_DERIVED_CONFIG
Files and directories of definitions that are always loaded, with colons between them; empty for none.
.TP
.B PCP_DERIVED_CONTROL
Settings with commas between them, such as OPTION_NOVALUE=1 (unknown operands are novalue()),
GLOBAL_LIMIT=\fIN\fR and CONTEXT_LIMIT=\fIN\fR (how many definitions there may be), DEBUG_SYNTAX=1,
DEBUG_SEMANTICS=1 and DEBUG_EVAL=1 (the same as \-D derive with appl0, appl1, appl2). A line #control of a
file sets them, too.
.TP
.B PCP_INDOM_CONFIG
The file that lists instance domains with the same instances, instead of $PCP_ETC_DIR/pcp/indom.conf; empty
for none. A mistake in it is reported, and discards all of it.
`

// body writes paragraphs, and indented lines as they are.
func body(b *strings.Builder, text string) {
	literal := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if indented := strings.HasPrefix(line, " "); indented != literal && line != "" {
			literal = indented
			if b.WriteString(map[bool]string{true: ".PP\n.nf\n", false: ".fi\n.PP\n"}[literal]); literal {
				line = escape(line)
				b.WriteString(line + "\n")
				continue
			}
		}
		if line == "" && !literal {
			line = ".PP"
		} else {
			line = escape(line)
		}
		b.WriteString(line + "\n")
	}
	if literal {
		b.WriteString(".fi\n")
	}
}

// escape keeps roff from reading text as requests.
func escape(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

// TestExamples parses the expressions that stand by themselves on a line of a topic.
func TestExamples(t *testing.T) {
	n := 0
	for _, topic := range manual.Topics() {
		if topic.Name != "units" && topic.Name != "instances" && topic.Name != "choices" && topic.Name != "constants" {
			continue
		}
		for line := range strings.Lines(topic.Text) {
			expr, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
			if !strings.HasPrefix(line, "  ") || !strings.ContainsAny(expr, "(") {
				continue
			}
			n++
			for c := range syntax.Chunks("manual", []byte("x = "+expr+"\n")) {
				if c.Definition() == nil {
					t.Errorf("%s: %s: %v", topic.Name, expr, c.Items)
				}
			}
		}
	}
	if n < 8 {
		t.Errorf("%d examples", n)
	}
}
