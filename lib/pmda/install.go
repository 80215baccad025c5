package pmda

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/safefile"
)

// writeInstall writes the files that PCP's installation of agents needs to a directory
// (collector.md C6): the domain, the name space and help texts with a symbolic domain, the scripts
// Install and Remove, and a README.
func (p *program) writeInstall(dir string, agent Provider) error {
	in := &install{name: strings.TrimPrefix(p.name, "pmda"), domain: agent.Domain()}
	in.symbol = strings.ToUpper(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, in.name))
	if in.name == p.name {
		return fmt.Errorf("the program has to be called pmda%s: PCP's installation of agents looks for that name", in.name)
	}
	if err := in.names(agent.Names()); err != nil {
		return err
	}
	if err := in.help(agent); err != nil {
		return err
	}
	for _, f := range []struct {
		name, text string
		mode       os.FileMode
	}{
		{"domain.h", fmt.Sprintf("#define %s %d\n", in.symbol, in.domain), 0o644},
		{"pmns", in.pmns, 0o644},
		{"root", fmt.Sprintf("#include \"domain.h\"\n\nroot {\n\t%s\n}\n\n#include \"pmns\"\n", in.root), 0o644},
		{"help", in.helpText.String(), 0o644},
		{"Install", in.script("pmdaInstall"), 0o755},
		{"Remove", in.script("pmdaRemove"), 0o755},
		{"README", in.readme(), 0o644},
	} {
		file := filepath.Join(dir, f.name)
		if err := safefile.Keep(file, []byte(f.text), f.mode); err != nil {
			return err
		}
		fmt.Fprintln(p.stdout, file)
	}
	return nil
}

type install struct {
	name     string // of the agent
	symbol   string // for its domain
	domain   uint32
	root     string // the node that its names stand below
	pmns     string
	list     []string // lines about the metrics
	helpText bytes.Buffer
}

// names makes the name space, without its root, and with the symbol in place of the domain.
func (in *install) names(names []Name) error {
	var b bytes.Buffer
	if err := writeNames(&b, names); err != nil {
		return err
	}
	for _, n := range names {
		root, _, inner := strings.Cut(n.Name, ".")
		if in.root != "" && in.root != root || !inner {
			return fmt.Errorf("%s: PCP installs the names of an agent below one node, such as %s", n.Name, in.name)
		}
		in.root = root
	}
	_, text, _ := strings.Cut(b.String(), "}\n\n")
	in.pmns = strings.ReplaceAll(text, fmt.Sprintf("\t%d:", in.domain), "\t"+in.symbol+":")
	return nil
}

func (in *install) help(agent Provider) error {
	fmt.Fprintf(&in.helpText, "# Help texts of %s. The agent has them itself; newhelp compiles this file.\n", in.name)
	t, ok := agent.(Texter)
	if !ok {
		return nil
	}
	ctx, c := context.Background(), new(Client)
	var indoms []pcp.InDom
	var seen []pcp.ID
	for _, n := range agent.Names() {
		if n.ID.Domain() != in.domain || slices.Contains(seen, n.ID) {
			continue
		}
		seen = append(seen, n.ID)
		d, err := agent.Desc(ctx, c, n.ID)
		if err != nil {
			return fmt.Errorf("%s: %w", n.Name, err)
		}
		line := in.entry(n.Name, func(kind pcp.TextKind) (string, error) { return t.Text(ctx, c, n.ID, kind) })
		in.list = append(in.list, fmt.Sprintf("  %s: %s", n.Name, line))
		if d.InDom != pcp.NullInDom && d.InDom.Domain() == in.domain && !slices.Contains(indoms, d.InDom) {
			indoms = append(indoms, d.InDom)
		}
	}
	for _, d := range indoms {
		in.entry(fmt.Sprintf("%s.%d", in.symbol, d.Serial()), func(kind pcp.TextKind) (string, error) { return t.InDomText(ctx, c, d, kind) })
	}
	return nil
}

// entry writes the texts of something, and returns the line. Lines of a text that would mean
// something in the source get a blank before them.
func (in *install) entry(what string, text func(pcp.TextKind) (string, error)) string {
	line, err := text(pcp.OneLine)
	if err != nil {
		return ""
	}
	line, _, _ = strings.Cut(line, "\n")
	fmt.Fprintf(&in.helpText, "\n@ %s %s\n", what, line)
	long, err := text(pcp.Help)
	if err != nil {
		return line
	}
	for l := range strings.Lines(long) {
		if l[0] == '@' || l[0] == '#' {
			l = " " + l
		}
		io.WriteString(&in.helpText, strings.TrimSuffix(l, "\n")+"\n")
	}
	return line
}

func (in *install) script(function string) string {
	return `#!/bin/sh
# Written by pmda` + in.name + ` --install-files. Run it as root, in its directory.
. "${PCP_DIR}/etc/pcp.env"
. "$PCP_SHARE_DIR/lib/pmdaproc.sh"

iam=` + in.name + `
pmns_name=` + in.root + `
pmdaSetup
` + function + `
exit
`
}

func (in *install) readme() string {
	return fmt.Sprintf(`The agent %[1]s

pmda%[1]s serves these metrics, in domain %[2]d:

%[3]s

To install it, put the program and these files into the directory of agents, and
run Install there as root, while pmcd runs:

  mkdir -p $PCP_PMDAS_DIR/%[1]s
  cp pmda%[1]s $PCP_PMDAS_DIR/%[1]s
  cd $PCP_PMDAS_DIR/%[1]s
  ./pmda%[1]s --install-files .
  ./Install

./Remove removes it again. If another agent has the domain, choose one from 385 to
510 in domain.h. The log is %[1]s.log in the directory of pmcd's logs.
`, in.name, in.domain, strings.Join(in.list, "\n"))
}
