package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/lib/archive/archivetest"
)

// TestDefinitions has what the options and the environment say about derived metrics, and where the
// messages go.
func TestDefinitions(t *testing.T) {
	dir := t.TempDir()
	if err := archivetest.Build(dir, "ta"); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for name, text := range map[string]string{
		"defs": "d.two = t.b * 2\nd.bad = no.such\n", "more": "m.x = no.such + 1\n", "etc/pcp/indom.conf": "245.1 1.2\n",
		"map": "245.1 1.x\n600.1\n", "all": "245.* 1.*\n", "unfinished": "245.1 1.2",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bound := "__dmbind(derive_locked=1, ctx=0, metric[2] d.two, async= 1)\n"
	const sets = "-r x.y=t.b+mkconst(1,indom=1.2) -m x.y"
	for _, tt := range []struct {
		name, args      string
		vars            map[string]string
		stdout          string
		stderr, without string // parts of standard error, and one that is not there
	}{
		{"off", "-c defs -m d.two", nil, "d.two PMID: 511.0.3\n", "", ""},
		{"on", "-Dderive -c defs -m d.two", nil, "d.two PMID: 511.0.3\n", "pmLoadDerivedConfig(\"defs\")\n|global metric[2] d.two = t.b * 2\n|" + bound, "lex"},
		{"lookup", "-Dderive -c defs -m d.two", nil, "d.two PMID: 511.0.3\n", "derived leaf\n__dmgetpmid: metric \"d.two\" -> PMID 511.0.3\n", "closecontext"},
		{"behind the file", "-c defs -Dderive -m d.two", nil, "d.two PMID: 511.0.3\n", bound, "pmLoadDerivedConfig"},
		{"from the environment", "-c defs -m d.two", map[string]string{"PCP_DEBUG": "derive,appl0"}, "d.two PMID: 511.0.3\n", "derive_lex() -> type=L_STAR \"*\"\n|" + bound, "_dmopen"},
		{"control", "-c defs -m d.two", map[string]string{"PCP_DERIVED_CONTROL": "DEBUG_EVAL=1,OPTION_NOVALUE=1"}, "d.two PMID: 511.0.3\n",
			"$PCP_DERIVED_CONTROL: OPTION_NOVALUE=1 set\n|" + bound, "lex"},
		{"default", "-Dderive -m d.two", map[string]string{"PCP_DERIVED_CONFIG": "nosuch:defs"}, "d.two PMID: 511.0.3\n",
			"Derived metric initialization from $PCP_DERIVED_CONFIG\nWarning: derived metrics path component: nosuch: No such file or directory\n", "lex"},
		{"novalue", "-c more -m m", map[string]string{"PCP_DERIVED_CONTROL": "OPTION_NOVALUE=1"}, "m.x PMID: 511.0.3\n", "", ""},
		{"invalid, by number", "-c defs -m 511.0.4", nil, "", "Semantic error: derived metric d.bad: operand no.such: Unknown operand metric\nError: 511.0.4: Unknown metric name\n", ""},
		{"no map", sets, map[string]string{"PCP_INDOM_CONFIG": ""}, "", "Operands should have the same instance domain\n", "Equiv"},
		{"missing map", sets, map[string]string{"PCP_INDOM_CONFIG": "nosuch"}, "", "Operands should have the same instance domain\n", "Equiv"},
		{"map", sets, map[string]string{"PCP_INDOM_CONFIG": "all"}, "x.y PMID: 511.2047.1023\n", "", ""},
		{"usual map", sets, map[string]string{"PCP_ETC_DIR": "etc"}, "x.y PMID: 511.2047.1023\n", "", ""},
		{"bad map", sets, map[string]string{"PCP_INDOM_CONFIG": "map"}, "", "Error: __pmEquivInDom: [map:1] |Error: __pmEquivInDom: [map:2] <domain> 600 too big\n", "[map:3]"},
		{"map that breaks off", sets, map[string]string{"PCP_INDOM_CONFIG": "unfinished"}, "", "Error: __pmEquivInDom: [unfinished:1] expected newline, found End-of-File\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := run(append([]string{"-a", "ta"}, strings.Fields(tt.args)...), tt.vars)
			if got.Stdout != tt.stdout {
				t.Errorf("%q, want %q; %s", got.Stdout, tt.stdout, got.Stderr)
			}
			for part := range strings.SplitSeq(tt.stderr, "|") {
				if !strings.Contains(got.Stderr, part) {
					t.Errorf("%q is missing in\n%s", part, got.Stderr)
				}
			}
			if tt.stderr == "" && got.Stderr != "" || tt.without != "" && strings.Contains(got.Stderr, tt.without) {
				t.Errorf("unexpected %s", got.Stderr)
			}
		})
	}
}
