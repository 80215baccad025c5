package derive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// lifeFiles are the definitions of the tests below.
var lifeFiles = map[string]string{
	"names": "life.one = 1\nlife.two.a = -sum(t.b)\nlife.two.b = 2.5 * sum(t.b)\nlife.three = no.such\nsample.new = count(sample.bin)\n" +
		"sample.long.one = max(sample.bin)\nt.new = t.b * 2\nt.sub.x = sum(t.b)\nt.a = sum(sample.bin)\nmy.bin = sample.bin + 1\n",
	"texts": "life.one = 1\nlife.one(oneline) = one line\nlife.one(helptext) = \"several\nlines of \\\"help\\\"\n\"\nlife.two = sample.bin\n" +
		"life.two(oneline)=  only this  \nlife.three = t.b\nlife.three(helptext) = '  quoted '\nlife.four = count(t.b)\nlife.four(helptext) = \"\"\n" +
		"event.flags(oneline) = mine\n",
	"invalid": "bad.a = no.such + 1\nbad.b = sample.bin + sample.colour\nbad.c = sum(bad.a)\nbad.d = 1 ? no.such : 2\nbad.e = event.flags + 1\n" +
		"bad.f = rate(rate(t.a))\nbad.g = mkconst(1,meta=no.such)\nbad.ok = 1\nbad.h = defined(bad.ok)\nbad.i = 1 +\nbad.1 = 2\n",
	"labels":               "lab.a = t.b\nlab.b = t.b + 1\nlab.c = sum(t.b)\nlab.d = sample.colour * 2\nlab.e = network.interface.in.bytes\nlab.f = 3\nlab.g = rate(t.a)\n",
	"again":                "life.one = 11\nlife.more = 12\nt.a = 6\n",
	"masks":                "sample.derived.a = t.b\nsample.derived.b = t.b\nsample.derived.c = t.b + 1\ndisk.dev.await = t.c\ndisk.dev.await_b = delta(disk.dev.total)\n",
	"nested":               "n.a = sample.derived.a + 1\nn.b = disk.dev.await * 2\nn.c = n.a\nn.d = life.one\nn.e = defined(sample.derived.a) ? 1 : 0\n",
	"blank":                "245.1 1.2 \n",
	"var/config/derived/a": "def.a = t.b\ndef.b = 1 +\nlife.one = t.c\n",
	"other/config/derived": "def.c = t.b\n",
	"none/config/x":        "def.d = t.b\n",
	"below":                "t.b.sub = 4\nz.z = t.b\nz = t.c\n",
	"last":                 "last.a = t.b\nlast.b = t.c",
	"dir/a":                "dir.a = 1\n",
	"dir/b":                "dir.b = 2\ndir.a = 3\n",
	"one/a":                "only.a = 1\nonly.b = t.b\n",
	"deep/a/b":             "deep.a = 1\n",
	"control": "#control OPTION_NOVALUE=1\nc.a = no.such + 1\nc.b = count(no.such)\nc.c = sum(no.such)\nc.d = t.d ? t.d : no.such\nc.e = no.such ? 1 : 2\n" +
		"c.f = defined(no.such)\nc.g = no.such + t.a\nc.h = mkconst(4,meta=no.such)\n",
	"limit":  "#control GLOBAL_LIMIT=2\nl.a = 1\nl.b = 2\nl.c = 3\n",
	"equal":  "e.a = t.b + mkconst(1,indom=1.2)\ne.b = mkconst(1,indom=1.2) < t.b\ne.c = t.b > 1 ? t.b : mkconst(1,type=32,semantics=instant,indom=1.2)\n",
	"indom":  "# comment\n245.1 1.2\n",
	"indom*": "245.* 1.*# comment\n",
	"indom!": "245.1 1.2\n600.1 2\n1.x\n",
}

// lifeOptions are the options of pminfo for each set of definitions.
var lifeOptions = [][]string{
	{"-m"}, {"-d"}, {"-t"}, {"-T"}, {"-l"}, {"-s"}, {"-v"}, {"-e"}, {"-dmMtTlsI"}, {"-1"}, {"-f"}, {"-fO", "+2"},
}

// TestLifecycle compares derived metrics of files, of the command line and of the environment:
// their names and numbers, what they hide and what hides them, what is printed of valid and of
// invalid ones.
func TestLifecycle(t *testing.T) {
	_, _, root := harness.Setup(t)
	own := harness.Own(t, "ta", "labels")
	suite := filepath.Join(root, "var/lib/pcp/testsuite/archives")
	dir := harness.WriteFiles(t, lifeFiles)
	var cs []harness.Command
	add := func(env string, args ...string) {
		for i, a := range args {
			args[i] = strings.NewReplacer("OWN", own, "SUITE", suite).Replace(a)
		}
		cs = append(cs, harness.Command{Args: append([]string{"pminfo"}, args...), Env: strings.Fields(env), Dir: dir})
	}
	tops := "life t.new t.sub my bad lab sample.new sample.derived disk.dev n c l e"
	for _, a := range []string{"OWN/ta", "OWN/labels", "SUITE/derive", "SUITE/log-derived", "SUITE/chartqa1", "SUITE/sample-labels"} {
		for _, file := range []string{"names", "texts", "invalid", "labels", "masks", "nested", "control"} {
			for _, o := range lifeOptions {
				add("", append(append([]string{"-a", a, "-c", file}, o...), strings.Fields(tops)...)...)
			}
			add("", "-a", a, "-c", file, "-m")
			add("PCP_DERIVED_CONFIG="+file, "-a", a, "-d")
		}
	}
	for _, l := range []string{
		"-c names -m 511.0.3", "-c names -d 511.0.4 511.0.6 511.0.7", "-c names -t 511.0.1 511.0.2 511.0.9 511.0.99", "-c names -m t t.a 511.0.11",
		"-c names -c again -m", "-c again -c names -m", "-c names:again -m life", "-c again:names -m life", "-c names -c names -m life",
		"-c dir -m dir", "-c one -m only", "-c deep -m deep", "-c one:deep -m", "-c nosuch -m", "-c one:nosuch:deep -m", "-c one::deep -m", "-c one: -m", "-c : -m",
		"-c :one -m", "-c /dev/null -m", "-c one:/dev/null:deep -m", "-c limit -m", "-c limit -c one -m", "-c invalid -m bad.a bad.ok bad.h bad", "-c invalid -d 511.0.3 511.0.10",
		"-r life.one=1 -c names -m life 511.0.3", "-r life.one=t.b+1 -c names -d life.one 511.0.3", "-r t.b=1 -d t.b", "-r x.y=1 -r x.z=2 -m x", "-r x.y=1 -r x.y=2 -m x",
		"-r x.y=no.such -m x", "-r x.y=1+ -m x", "-r x.y=t.b -r x.z=x.y -m x", "-r x.y=x.y -m", "-r x.y=event.flags -df x.y", "-r t.new=1 -m t", "-r t.d.sub=1 -m t.b",
		"-c texts -t life", "-c texts -T life", "-c texts -tT life.one event", "-r x.y=t.b -tT x.y", "-r x.y=t.b -ls x.y", "-r x.y=sum(t.b) -ls x.y", "-r x.y=rate(t.a) -v x.y",
		"-r x.y=rate(t.a) -e x.y", "-r x.y=rate(t.a) -vf x.y x.y", "-r x.y=t.b -v x", "-r x.y=t.b -f x.y x.y", "-r x.y=delta(t.b) -f x.y x.y", "-r x.y=no.such -v",
		"-c names -b 3 -d", "-c names -b 1 -f life t", "-c names -O +3 -f life t.new t.sub", "-c names -z -f t.new", "-c names -x t.new", "-c names -F t.new life",
		"-c below -m", "-c below -m t.b z", "-c last -m last", "-r x.y=1 -m 511.2047.1023", "-r x.y=1 -r x.z=2 -m 511.2047.1022", "-c control -d c", "-c control -f c", "-c control -v c", "-c equal -d e", "-c equal -df e.a e.b",
	} {
		add("", append([]string{"-a", "OWN/ta"}, strings.Fields(l)...)...)
		add("PCP_DERIVED_CONFIG=one", append([]string{"-a", "OWN/ta"}, strings.Fields(l)...)...)
	}
	for _, v := range []string{"var", "other", "none", "nosuch"} {
		for _, l := range []string{"-m", "-m def life", "-c names -m def life", "-Dderive -c names -m def life", "-Dderive -d def.a", "-r def.a=1 -m def"} {
			add("-PCP_DERIVED_CONFIG PCP_VAR_DIR="+filepath.Join(dir, v), append([]string{"-a", "OWN/ta"}, strings.Fields(l)...)...)
		}
	}
	for _, env := range []string{
		"PCP_DERIVED_CONFIG=names", "PCP_DERIVED_CONFIG=names:again", "PCP_DERIVED_CONFIG=nosuch:names", "PCP_DERIVED_CONFIG=one::deep", "PCP_DERIVED_CONFIG=invalid",
		"PCP_DERIVED_CONFIG=deep", "PCP_DERIVED_CONFIG=texts", "PCP_DERIVED_CONFIG=limit PCP_DERIVED_CONTROL=GLOBAL_LIMIT=1", "PCP_DERIVED_CONTROL=GLOBAL_LIMIT=1",
		"PCP_DERIVED_CONTROL=OPTION_NOVALUE=1", "PCP_DERIVED_CONTROL=OPTION_NOVALUE=2", "PCP_DERIVED_CONTROL=CONTEXT_LIMIT=1", "PCP_DERIVED_CONTROL=GLOBAL_LIMIT=-1,OPTION_NOVALUE=1",
		"PCP_DERIVED_CONTROL=GLOBAL_LIMIT=0", "PCP_DERIVED_CONTROL=option_novalue=1,global_limit=20", "PCP_DERIVED_CONTROL=foo=1", "PCP_DERIVED_CONTROL=OPTION_NOVALUE",
		"PCP_INDOM_CONFIG=indom", "PCP_INDOM_CONFIG=indom*", "PCP_INDOM_CONFIG=indom!", "PCP_INDOM_CONFIG=blank", "PCP_INDOM_CONFIG=nosuch", "PCP_INDOM_CONFIG=",
	} {
		for _, l := range []string{"-m", "-c invalid -d bad", "-c limit -m l", "-c equal -df e", "-c control -df c", "-r x.y=t.b+mkconst(1,indom=1.2) -df x.y", "-r x.y=no.such+1 -df x.y"} {
			add(env, append([]string{"-a", "OWN/ta"}, strings.Fields(l)...)...)
		}
	}
	harness.Compare(t, cs)
}

// shippedFiles returns copies of the definitions that PCP comes with, without those of average
// request sizes: most archives lack some of their operands, and then there is another message (row
// D11), on nearly every command line.
func shippedFiles(t *testing.T, root string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "etc/pcp/derived/*.conf"))
	if err != nil || len(files) == 0 {
		t.Fatal("no definitions", err)
	}
	dir := t.TempDir()
	for i, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var kept strings.Builder
		dropped := false // the line before, and it continues
		for line := range strings.Lines(string(text)) {
			dropped = dropped || strings.Contains(line, "avg_rqsz =") || strings.Contains(line, "avg_rqsz(")
			if !dropped {
				kept.WriteString(line)
			}
			dropped = dropped && strings.HasSuffix(line, "\\\n")
		}
		files[i] = filepath.Join(dir, filepath.Base(f))
		if err := os.WriteFile(files[i], []byte(kept.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestShippedDefinitions compares the definitions that PCP comes with over many archives.
func TestShippedDefinitions(t *testing.T) {
	_, _, root := harness.Setup(t)
	suite := filepath.Join(root, "var/lib/pcp/testsuite/archives")
	files := shippedFiles(t, root)
	all := []string{"PCP_DERIVED_CONFIG=" + strings.Join(files, ":")}
	tops := []string{"kernel.cpu.util", "disk", "proc.hog", "proc.io", "proc.psinfo", "denki", "mssql", "openmetrics"}
	var cs []harness.Command
	for i, a := range harness.Suite(t, suite) {
		o := lifeOptions[i%len(lifeOptions)]
		cs = append(cs,
			harness.Command{Args: append([]string{"pminfo", "-a", a}, o...), Env: all, Dir: suite},
			harness.Command{Args: append([]string{"pminfo", "-a", a, "-df"}, tops...), Env: all, Dir: suite},
			harness.Command{Args: append([]string{"pminfo", "-a", a, "-c", files[i%len(files)]}, o...), Dir: suite},
			harness.Command{Args: []string{"pminfo", "-Dderive,appl1,appl2", "-a", a, "-c", files[i%len(files)], "-f", tops[i%len(tops)]}, Dir: suite})
	}
	for _, a := range []string{"bozo-disk", "sample_expr", "disk-a"} {
		cs = append(cs, harness.Command{Args: []string{"pminfo", "-a", a, "-c", filepath.Join(root, "etc/pcp/derived/iostat.conf"), "-m"}, Dir: suite})
	}
	harness.Compare(t, cs)
}
