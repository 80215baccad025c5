package live

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// numbers are what takes the place of a number: those at which types of 31, 32 and 63 bits end, and others that kernels write.
var numbers = [...]string{"0", "1", "7", "123456789", "2147483647", "2147483648", "3000000000", "4294967295", "4294967296", "5000000001", "9223372036854775807"}

// A mutation changes the lines of a file.
type mutation struct {
	name string
	f    func(r *rand.Rand, lines []string) []string
}

// mutations are what older and newer kernels write, and other machines.
var mutations = [...]mutation{
	{"line dropped", keyed(func(r *rand.Rand, l []string) []string { i := r.IntN(len(l)); return slices.Delete(l, i, i+1) })},
	{"lines dropped", keyed(func(r *rand.Rand, l []string) []string {
		return slices.DeleteFunc(l, func(string) bool { return r.IntN(3) == 0 })
	})},
	{"line unknown", keyed(func(r *rand.Rand, l []string) []string {
		return slices.Insert(l, 1+r.IntN(len(l)), "NewThing: 12 kB\n")
	})},
	{"number changed", oneWord(func(r *rand.Rand, _ string) string { return numbers[r.IntN(len(numbers))] })},
	{"numbers changed", allWords(func(r *rand.Rand, _ string) string { return numbers[r.IntN(len(numbers))] })},
}

var (
	digits    = regexp.MustCompile(`^\d+$`)
	keyedLine = regexp.MustCompile(`^[\w()]+:?\s+\d+( kB)?\n$`)
	// unchanged are files whose numbers are hexadecimal, of 32 bits, or name their lines, and directories that are there with others.
	unchanged = regexp.MustCompile(`^(proc/(cpuinfo|slabinfo|sysvipc/.*|net/(softnet_stat|tcp6?|udp6?|unix|if_inet6))|sys/devices/system/node(/node\d+)?)$`)
)

// keyed is a change of files of keys and numbers: others lose and get no lines.
func keyed(f func(r *rand.Rand, l []string) []string) func(r *rand.Rand, l []string) []string {
	return func(r *rand.Rand, l []string) []string {
		n := 0
		for _, line := range l {
			if keyedLine.MatchString(line) {
				n++
			}
		}
		if n < 3 || n < len(l)*2/3 {
			return l
		}
		return f(r, l)
	}
}

func oneWord(f func(r *rand.Rand, word string) string) func(r *rand.Rand, l []string) []string {
	return func(r *rand.Rand, l []string) []string {
		i := r.IntN(len(l))
		var at [][]int
		for _, m := range regexp.MustCompile(`\S+`).FindAllStringIndex(l[i], -1) {
			if digits.MatchString(l[i][m[0]:m[1]]) {
				at = append(at, m)
			}
		}
		if len(at) > 0 {
			m := at[r.IntN(len(at))]
			l[i] = l[i][:m[0]] + f(r, l[i][m[0]:m[1]]) + l[i][m[1]:]
		}
		return l
	}
}

func allWords(f func(r *rand.Rand, word string) string) func(r *rand.Rand, l []string) []string {
	word := regexp.MustCompile(`\S+`)
	return func(r *rand.Rand, l []string) []string {
		for i := range l {
			l[i] = word.ReplaceAllStringFunc(l[i], func(w string) string {
				if digits.MatchString(w) && r.IntN(4) == 0 {
					return f(r, w)
				}
				return w
			})
		}
		return l
	}
}

// mutate copies the files of a tree, some of them changed, and says how.
func mutate(t *testing.T, r *rand.Rand, from string) (to string, changes []string) {
	t.Helper()
	to = t.TempDir()
	gone := ""
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		name, _ := filepath.Rel(from, path)
		dst := filepath.Join(to, name)
		if name == "." || gone != "" && strings.HasPrefix(name, gone) {
			return nil
		}
		switch {
		case d.IsDir():
			if strings.Count(name, "/") > 0 && r.IntN(200) == 0 && !unchanged.MatchString(name) {
				gone = name + "/"
				changes = append(changes, name+": directory gone")
				return nil
			}
			return os.MkdirAll(dst, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(target, dst)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		switch k := r.IntN(40); {
		case k == 0:
			changes = append(changes, name+": gone")
			return nil
		case k < 20 && len(text) > 0 && !unchanged.MatchString(name) && bytes.IndexByte(text, 0) < 0:
			m := &mutations[r.IntN(len(mutations))]
			lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
			lines[len(lines)-1] += "\n"
			text = []byte(strings.Join(m.f(r, lines), ""))
			changes = append(changes, name+": "+m.name)
		}
		return os.WriteFile(dst, text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return to, changes
}

const procfstest = "../../../lib/builtin/internal/procfs/procfstest/" // the collectors' own tests

// inventedTree makes the files of the collectors' own tests.
func inventedTree(t *testing.T) string { return treeOf(t, procfstest+"tree.txt") }

// treeOf makes the files that a file of the collectors' own tests has.
func treeOf(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, part := range strings.Split("\n"+string(text), "\n-- ")[1:] {
		name, content, _ := strings.Cut(part, " --\n")
		if content != "" && !strings.HasSuffix(content, "\n") {
			content += "\n"
		}
		name, quoted := strings.CutSuffix(strings.TrimSuffix(name, " --"), " (quoted)")
		name, link := strings.CutSuffix(name, " (link)")
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o755)
		case link:
			err = os.Symlink(strings.TrimSpace(content), path)
		default:
			if quoted {
				content, _ = strconv.Unquote(strings.TrimSpace(content))
			}
			err = os.WriteFile(path, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestBuiltinMutated compares the linux and proc collectors with the reference's agents over files of
// which some are changed at random, to those of older and newer kernels and of other machines.
func TestBuiltinMutated(t *testing.T) {
	ours, theirs, root := harness.Setup(t)
	runs, seed := harness.Number("PMTOOLS_RUNS", 6), harness.Number("PMTOOLS_SEED", 1)
	trees := recordedTrees(t, root)
	invented := recordedTree{"invented", inventedTree(t), 2}
	equal, died := 0, 0
	for i := range runs {
		if only := harness.Number("PMTOOLS_RUN", i); i != only {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(seed), uint64(i)))
		tree := invented
		if r.IntN(3) == 0 {
			tree = trees[r.IntN(len(trees))]
		}
		dir, changes := mutate(t, r, tree.dir)
		tree.dir = dir
		for _, agent := range []string{"linux", "proc"} {
			domain := map[string]string{"linux": "60", "proc": "3"}[agent]
			env := []string{
				"PCP_VAR_DIR=" + recordedVars(t, root), "PCP_PMDAS_DIR=" + root + "/usr/lib/pcp/pmdas", "LINUX_MDADM=/bin/true",
				strings.ToUpper(agent) + "_STATSPATH=" + dir,
			}
			env = append(env, tree.settings(agent)[0]...)
			same, problems := compareRecorded(t, ours, theirs, root, harness.Command{Env: env, Args: []string{
				"pminfo", "-L", "-K", "clear", "-K", "add," + domain + "," + agent + "/pmda_" + agent + ".so," + agent + "_init",
			}})
			if slices.Equal(problems["status"].theirs, []string{"-1"}) {
				died++
				continue
			}
			equal += same
			for metric, diff := range problems {
				if !explained(metric, tree.where(env[4:]), diff, changes) {
					t.Errorf("run %d: %s: %s: %s", i, tree.name, metric, diff)
				}
			}
		}
		if t.Failed() && testing.Verbose() {
			t.Logf("run %d: %s", i, strings.Join(changes, "; "))
		}
		if keep := os.Getenv("PMTOOLS_KEEP"); keep != "" {
			if err := os.CopyFS(filepath.Join(keep, strconv.Itoa(i)), os.DirFS(dir)); err != nil {
				t.Log(err)
			}
		}
	}
	t.Logf("%d answers agree; the agent died in %d runs", equal, died)
}
