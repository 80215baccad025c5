// Command help compiles and checks the help texts of agents, for authors who have no PCP:
//
//	go run pmtools/lib/pmda/helptext/help new [-V] [-n PMNS] [-o NAME] FILE
//	go run pmtools/lib/pmda/helptext/help check [-e] [-i] [-p] [-O] [-H] [-n PMNS] NAME [METRIC ...]
//
// The first is PCP's newhelp: it writes NAME.dir and NAME.pag, and ends with status 1 after
// warnings, 2 after errors. The second is chkhelp: it reads these files.
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"os"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda/helptext"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
	"pmtools/lib/safefile"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, out, errs io.Writer) int {
	if len(args) > 0 && args[0] == "new" {
		return compile(args[1:], errs)
	}
	if len(args) > 0 && args[0] == "check" {
		return check(args[1:], out, errs)
	}
	fmt.Fprintln(errs, "usage: help new [-V] [-n PMNS] [-o NAME] FILE\n       help check [-e] [-i] [-p] [-O] [-H] [-n PMNS] NAME [METRIC ...]")
	return 2
}

func names(file string) (*pmns.Tree, error) {
	if file == "" {
		return new(pmns.Tree), nil
	}
	return pmns.Load(file, &pmns.Options{Preprocess: true, DupOK: true})
}

func compile(args []string, errs io.Writer) int {
	fs := flag.NewFlagSet("help new", flag.ContinueOnError)
	fs.SetOutput(errs)
	verbose := fs.Bool("V", false, "print the name of each entry, and warnings")
	space := fs.String("n", "", "the name space")
	name := fs.String("o", "", "write NAME.dir and NAME.pag")
	if fs.Parse(args) != nil || fs.NArg() != 1 {
		fmt.Fprintln(errs, "newhelp: one FILE is wanted, - for standard input")
		return 2
	}
	tree, err := names(*space)
	if err != nil {
		fmt.Fprintf(errs, "newhelp: %v\n", err)
		return 2
	}
	file := fs.Arg(0)
	var text []byte
	if file == "-" {
		text, err = io.ReadAll(os.Stdin)
	} else {
		text, err = os.ReadFile(file)
	}
	if *name == "" {
		*name = file
	}
	if err != nil || *name == "-" {
		fmt.Fprintf(errs, "newhelp: no -o NAME, or %v\n", err)
		return 2
	}
	entries, problems := helptext.Parse(file, string(text), tree.Lookup)
	for _, p := range problems {
		if !p.Warning || *verbose {
			fmt.Fprintln(errs, p)
		}
	}
	if *verbose {
		for _, e := range entries {
			fmt.Fprintln(errs, e.What)
		}
	}
	dir, pag, err := helptext.Compile(entries, binary.NativeEndian)
	if err == nil {
		err = safefile.Keep(*name+".pag", pag, 0o644)
	}
	if err == nil {
		err = safefile.Keep(*name+".dir", dir, 0o644)
	}
	if err != nil {
		fmt.Fprintf(errs, "newhelp: %v\n", err)
		return 2
	}
	return helptext.Status(problems, *verbose)
}

func check(args []string, out, errs io.Writer) int {
	fs := flag.NewFlagSet("help check", flag.ContinueOnError)
	fs.SetOutput(errs)
	exists := fs.Bool("e", false, "list the metrics of the name space that have no texts")
	indoms := fs.Bool("i", false, "show all instance domains")
	ids := fs.Bool("p", false, "show all metrics")
	var s helptext.Show
	fs.BoolVar(&s.OneLine, "O", false, "show one-line texts")
	fs.BoolVar(&s.Long, "H", false, "show long texts")
	space := fs.String("n", "", "the name space")
	if fs.Parse(args) != nil {
		return 1
	}
	metrics := fs.Args()
	wrong := ""
	switch {
	case len(metrics) == 0:
		wrong = "missing helpfile argument"
	case len(metrics) > 1 && (*indoms || *ids):
		wrong = "metricname arguments cannot be used with -i or -p"
	case *exists && (*indoms || *ids):
		wrong = "-e cannot be used with -i or -p"
	case (s.OneLine || s.Long) && len(metrics) == 1 && !*indoms && !*ids:
		wrong = "-O or -H require metricname arguments or -i or -p"
	}
	if wrong != "" {
		fmt.Fprintf(errs, "chkhelp: %s\n", wrong)
		return 1
	}
	tree, err := names(*space)
	if err != nil {
		fmt.Fprintf(errs, "chkhelp: %v\n", err)
		return 1
	}
	f, err := helptext.Open(metrics[0])
	if err != nil {
		fmt.Fprintf(errs, "chkhelp: %v\n", err)
		return 1
	}
	if !s.Long {
		s.OneLine = true
	}
	if *exists {
		return missing(f, tree, out)
	}
	haveIDs, haveInDoms := f.Keys()
	if *ids {
		for _, id := range haveIDs {
			list, _ := tree.Names(id)
			f.ShowID(out, s, id, list...)
		}
	}
	if *indoms {
		for _, d := range haveInDoms {
			f.ShowInDom(out, s, d)
		}
	}
	for _, m := range metrics[1:] {
		if id, err := tree.Lookup(m); err != nil {
			fmt.Fprintf(out, "\n%s: %v\n", m, pmerr.Of(err))
		} else {
			f.ShowID(out, s, id, m)
		}
	}
	return 0
}

func missing(f *helptext.File, tree *pmns.Tree, out io.Writer) int {
	err := tree.Walk("", func(name string, id pcp.ID) bool {
		if _, err := f.Text(id, pcp.OneLine); err != nil {
			fmt.Fprintln(out, name)
		}
		return true
	})
	if err != nil {
		return 1
	}
	return 0
}
