package report

import (
	_ "embed"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pmtools/derive/diagnose"
	"pmtools/derive/lint"
	"pmtools/lib/safefile"
)

// own are the reports that need no file.
//
//go:embed own.conf
var own string

// ownName stands in the place of the file of reports that need none.
const ownName = "pmderive"

// maxFile is the limit on the length of a file.
const maxFile = 2 << 20

// A Library has reports by name. A section becomes a report when that is asked for: most commands show
// one of many.
type Library struct {
	readers []*reader // of the files
	reports []*Report
	at      map[string]int // of names, into reports
	options []*section
	global  *Report
}

// Suffix is the end of the names of files in a directory that are read.
const Suffix = ".conf"

// Places are where reports are looked for; the first that exists is read.
func Places(home, sysconf string) []string {
	list := []string{"pmrep.conf"}
	if home != "" {
		list = append(list, filepath.Join(home, ".pmrep.conf"), filepath.Join(home, "pcp", "pmrep.conf"))
	}
	return append(list, filepath.Join(sysconf, "pmrep", "pmrep.conf"), filepath.Join(sysconf, "pmrep"))
}

// Open reads the first of the places that exists. Without one the Library has the reports that need no
// file. A report of a file hides one of the same name that needs none.
func Open(places []string) (*Library, error) {
	l := New()
	for _, place := range places {
		if _, err := os.Stat(place); err == nil {
			return l, l.Load(place)
		}
	}
	return l, nil
}

// New returns a Library of the reports that need no file.
func New() *Library {
	l := &Library{global: &Report{}}
	l.Add("", own)
	return l
}

// Load adds the reports of a file, which may be a pipe, or of the regular files of a directory whose names end in Suffix.
func (l *Library) Load(path string) error {
	files, read := []string{path}, safefile.ReadStream
	if info, err := os.Stat(path); err != nil {
		return err
	} else if info.IsDir() {
		entries, err := os.ReadDir(path)
		if err != nil {
			return err
		}
		files, read = nil, safefile.Read // nobody has named these: a pipe would wait for a writer
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), Suffix) && !e.IsDir() {
				files = append(files, filepath.Join(path, e.Name()))
			}
		}
	}
	for _, file := range files {
		text, err := read(file, maxFile)
		if err != nil && len(files) == 1 {
			return err
		}
		if err != nil {
			r := &reader{file: file}
			r.fault(1, 1, "", "%s", cause(err))
			l.readers = append(l.readers, r)
			continue
		}
		l.Add(file, string(text))
	}
	return nil
}

// cause returns the error without the path that a diagnostic shows anyway.
func cause(err error) string {
	if bad, ok := errors.AsType[*fs.PathError](err); ok {
		return bad.Err.Error()
	}
	return err.Error()
}

// Add adds the reports of a file, whose name is for messages. Later settings of the sections [options]
// and [global] hold, and so does the later report of a name.
func (l *Library) Add(file, text string) {
	r := &reader{file: file}
	r.read(text)
	l.readers = append(l.readers, r)
	for i, s := range r.sections {
		b := &Report{Name: s.name, File: s.file, Line: s.line, About: s.about, end: math.MaxInt, section: s, reader: r}
		if i+1 < len(r.sections) {
			b.end = r.sections[i+1].line
		}
		switch s.name {
		case "options":
			b.build()
			l.options = append([]*section{b.Options[0]}, l.options...)
			for _, c := range b.Columns {
				r.fault(c.from.line, 1, "", "the section [options] has no option %s", c.from.key)
				r.faults[len(r.faults)-1].Notes = diagnose.DidYouMean(c.from.key, optionNames())
			}
		case "global":
			b.build()
			l.global.Columns = merged(l.global.Columns, b.Columns)
		default:
			r.reports = append(r.reports, b)
			l.put(b)
		}
	}
}

// Faults returns the mistakes in the files.
func (l *Library) Faults() (list []lint.Diagnostic) {
	for _, r := range l.readers {
		for _, b := range r.reports {
			b.build()
		}
		slices.SortStableFunc(r.faults, func(a, b lint.Diagnostic) int { return a.Line - b.Line })
		list = append(list, r.faults[:min(len(r.faults), maxFaults)]...)
	}
	return list
}

// put adds a report, in the place of one of its name.
func (l *Library) put(r *Report) {
	if l.at == nil {
		l.at = make(map[string]int)
	}
	if i, known := l.at[r.Name]; known {
		l.reports[i] = r
		return
	}
	l.at[r.Name] = len(l.reports)
	l.reports = append(l.reports, r)
}

// Reports returns the reports in the order of their names.
func (l *Library) Reports() []*Report {
	list := slices.Clone(l.reports)
	for _, r := range list {
		r.build()
	}
	slices.SortFunc(list, func(a, b *Report) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Names returns the names of the reports.
func (l *Library) Names() (names []string) {
	for _, r := range l.reports {
		names = append(names, r.Name)
	}
	slices.Sort(names)
	return names
}

// Find returns a report with the options and the columns that all reports have. The error says which
// mistakes of files hide it, or which names are like it.
func (l *Library) Find(name string) (*Report, error) {
	name = strings.TrimPrefix(name, ":")
	i, known := l.at[name]
	if !known {
		names := l.Names()
		p := &diagnose.Problem{Msg: "there is no report " + name, Notes: diagnose.DidYouMean(name, names)}
		faults := l.Faults()
		for i := range faults[:min(len(faults), 8)] {
			p.Notes = append(p.Notes, faults[i].String())
		}
		if p.Notes == nil {
			p.Notes = []string{":reports lists the " + strconv.Itoa(len(names)) + " there are; --config FILE reads others"}
		}
		return nil, p
	}
	l.reports[i].build()
	r := *l.reports[i]
	r.Options = append(slices.Clone(r.Options), l.options...)
	if r.Options.Is("globals", true) && r.File != "" {
		r.Columns = merged(l.global.Columns, r.Columns)
	}
	return &r, nil
}

// faults returns the mistakes in the lines of a report.
func (r *Report) faults() (list []lint.Diagnostic) {
	for _, d := range r.reader.faults {
		if d.Line >= r.Line && d.Line < r.end {
			list = append(list, d)
		}
	}
	return list
}

// IsName reports whether an argument is the name of a report after a colon.
func IsName(arg string) bool { return len(arg) > 1 && arg[0] == ':' && !strings.ContainsAny(arg, "\n") }
