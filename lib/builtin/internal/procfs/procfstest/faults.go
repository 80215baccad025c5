package procfstest

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// A fault is a failure of a file after it was opened.
type fault struct {
	name  string
	after int   // bytes that can be read
	err   error // after them; nil means the end of the file
	piece int   // bytes that one read returns; 0 means all
}

// Errors of files of the kernel whose process or device has gone after they were opened, and one of a
// device that fails.
var faults = [...]fault{
	{"the process ends", 0, syscall.ESRCH, 0},
	{"the device goes", 0, syscall.ENODEV, 0},
	{"a read fails", 0, syscall.EIO, 0},
	{"the kernel was told not to count", 0, syscall.EOPNOTSUPP, 0}, // as pressure with psi=0
	{"the process ends in the middle", 7, syscall.ESRCH, 0},
	{"short reads", 1 << 30, nil, 3},
	{"the end comes early", 0, nil, 0},
	{"the end comes in the first line", 9, nil, 0},
}

func (f *fault) through(r io.Reader) io.Reader {
	end := io.Reader(strings.NewReader(""))
	if f.err != nil {
		end = failing{f.err}
	}
	if r = io.MultiReader(io.LimitReader(r, int64(f.after)), end); f.piece > 0 {
		r = pieces{r, f.piece}
	}
	return r
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

type pieces struct {
	io.Reader
	n int
}

func (p pieces) Read(b []byte) (int, error) { return p.Reader.Read(b[:min(p.n, len(b))]) }

// Faults makes each file of Tree in turn fail, vanish, or end early, and fetches all metrics: each
// metric has its values, those of some instances, none, or an error of the file. An early end may
// change values of that file, but not of others. newAgent makes an agent and the root that it reads;
// records are suffixes of files that are read by one call, and other matches metrics that then take
// their values from another file.
func Faults(t *testing.T, newAgent func(dir string) (*pmda.Agent, *procfs.Root), other string, records ...string) {
	t.Helper()
	dir := Tree(t)
	agent, root := newAgent(dir)
	var files []string
	root.Through = func(name string, r io.Reader) io.Reader {
		if !slices.Contains(files, name) {
			files = append(files, name)
		}
		return r
	}
	names := Names(agent)
	values(t, agent, false, names)
	sound := values(t, agent, false, names)
	if len(files) < 50 {
		t.Errorf("only %d files are read", len(files))
	}
	changed := 0
	for i, file := range files {
		f := &faults[i%len(faults)]
		record := slices.ContainsFunc(records, func(end string) bool { return strings.HasSuffix(file, end) })
		if record && (f.piece > 0 || f.after > 0) {
			f = &faults[0]
		}
		root.Through = func(name string, r io.Reader) io.Reader {
			if name == file {
				return f.through(r)
			}
			return r
		}
		for k, got := range values(t, agent, false, names) {
			if got == sound[k] || f.piece == 0 && regexp.MustCompile(other).MatchString(names[k]) {
				continue
			}
			changed++
			switch {
			case f.piece > 0:
				t.Errorf("%s: %s: %s is %.200q, was %.200q", file, f.name, names[k], got, sound[k])
			case f.err != nil && !less(got, sound[k]) && got != "error "+pmerr.Of(f.err).Error():
				t.Errorf("%s: %s: %s is %.200q, was %.200q", file, f.name, names[k], got, sound[k])
			}
		}
	}
	root.Through = nil
	for k, got := range values(t, agent, false, names) {
		if got != sound[k] {
			t.Errorf("%s is %.200q after the faults, was %.200q", names[k], got, sound[k])
		}
	}
	if changed == 0 {
		t.Error("no fault changes an answer")
	}
}

// less reports whether the values of one answer are a subset of another's, or those of a kernel
// without the file. Counts may differ, and texts with a fallback.
func less(got, want string) bool {
	if got == "" || got == "error "+pmerr.AppVersion.Error() {
		return true
	}
	if strings.HasPrefix(got, "=") { // the file with the names of instances
		want = regexp.MustCompile(`(^|\|)[^=|]*=`).ReplaceAllString(want, "$1=")
	}
	all := strings.Split(withoutNames(want), "|")
	for _, value := range strings.Split(withoutNames(got), "|") {
		if !slices.Contains(all, value) && !regexp.MustCompile(`^\d+$|=0$|="(<exiting>|\(.*\))?"$`).MatchString(value) {
			return false
		}
	}
	return true
}

// withoutNames returns an answer without the names of processes, which files tell, too.
func withoutNames(answer string) string {
	return regexp.MustCompile(`(^|\|)(\d{6}) [^=|]*`).ReplaceAllString(answer, "$1$2")
}
