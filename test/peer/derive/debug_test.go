package derive

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// TestDebugExpressions compares the output of -Dderive for the expressions of the other tests,
// defined on the command line and in files.
func TestDebugExpressions(t *testing.T) {
	_, _, root := harness.Setup(t)
	dir := t.TempDir()
	var cs []harness.Command
	for i, e := range readExpressions(t, root) {
		file := fmt.Sprintf("%s/%d", dir, i)
		if err := os.WriteFile(file, []byte("x.y = "+e.text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, o := range [][2]string{{"derive,appl0,appl1,appl2", "-df"}, {"derive,appl1,desperate", "-d"}} {
			cs = append(cs,
				harness.Command{Args: []string{"pminfo", "-D" + o[0], "-a", e.archive, "-r", "x.y=" + e.text, o[1], "x.y"}},
				harness.Command{Args: []string{"pminfo", "-D" + o[0], "-a", e.archive, "-c", file, o[1], "x.y"}, Note: "x.y=" + e.text})
		}
	}
	harness.Compare(t, cs)
}

// debugFiles are the definitions of TestDebug.
var debugFiles = map[string]string{
	"plain": "# comment\nd.sum = sum(t.b)\nd.bin = t.b + 1\nd.bin(oneline) = hello\nd.bad = no.such + 1\nd.rate = rate(t.a)\nd.syn = 1 +\n",
	"masks": "t.a = 1\nt.z = 2\nz.z = t.b + 1\nq.a = 1\nq.b.c = t.d\nw.x = t.z + 1\n",
	"attributes": "a.b = 1\na.b = 2\na.b(oneline) = \"x\ny\"\na.b(oneline) = again\na.b(foo) = z\nq.r(helptext) = z\na.b(helptext)=\n" +
		"a.d = 1\\\n + 2\nbad.1 = 2\na.c =\n",
	"controls": "#control debug_eval=1,GLOBAL_LIMIT=4,foo=1,OPTION_NOVALUE=3\n#control OPTION_NOVALUE=1\n#control GLOBAL_LIMIT\n" +
		"c.a = no.such + t.d\nc.b = 2\nc.c = 3\nc.d = 4\nc.e = 5\nc.f = 6\n",
	"choices": "c.a = t.d ? t.d : no.such\nc.b = defined(no.such) ? no.such : t.b\nc.c = t.b ? 1 : 2\nc.d = t.b > 20 ? t.b : -t.b\n" +
		"c.e = !defined(t.b) || 0 ? 1 : mkconst(2.5,type=float,meta=t.b)\nc.f = t.d ? t.d : novalue(meta=t.a)\n",
	"units": "u.a = mkconst(1,units=Kbyte) + t.d\nu.b = rescale(t.a,\"\")\nu.c = t.a * mkconst(2,units=\"1/msec\") / mkconst(3,units=sec)\n" +
		"u.d = t.d > 1 ? mkconst(1,units=byte) : mkconst(1,units=Kbyte)\nu.e = t.d > 1 ? mkconst(1,units=sec) : mkconst(1,units=hour)\n",
	"insts": "i.a = t.b[one] + t.c[two]\ni.b = matchinst(/o/,t.b)\ni.c = matchinst(!/^t/,t.b + t.c)\ni.d = t.b[nosuch]\ni.e = t.s[x]\n" +
		"i.f = matchinst(/x/,t.s)\ni.g = matchinst(/^z/,t.b)\ni.h = delta(t.b)\ni.i = scalar(t.b) + rate(t.a)\ni.j = t.b + matchinst(/[ot]/,t.c)\n",
}

// TestDebug compares the output of -Dderive for names, masks, controls, files and fetches.
func TestDebug(t *testing.T) {
	_, _, root := harness.Setup(t)
	own := harness.Own(t, "ta", "alltypes", "labels", "scrambled")
	suite := filepath.Join(root, "var/lib/pcp/testsuite/archives")
	dir := harness.WriteFiles(t, debugFiles)
	var cs []harness.Command
	add := func(env, line string) {
		line = strings.NewReplacer("OWN", own, "SUITE", suite).Replace(line)
		c := harness.Command{Args: append([]string{"pminfo"}, strings.Fields(line)...), Dir: dir}
		if env != "" {
			c.Env = strings.Fields(env)
		}
		cs = append(cs, c)
	}
	for file := range debugFiles {
		for _, flags := range []string{"derive", "derive,appl0", "derive,appl1", "derive,appl2", "derive,appl0,appl1,appl2", "appl0,appl1"} {
			add("", "-D"+flags+" -a OWN/ta -c "+file+" -m")
			add("", "-D"+flags+" -a OWN/ta -c "+file+" -df d t.z z q a c u i")
		}
		add("", "-Dderive,appl1,desperate -a OWN/ta -c "+file+" -d d t z a c u i")
		add("", "-Dderive,appl2 -a OWN/ta -c "+file+" -fO +3 d t z u i i.h i.i i.b d.rate d.sum")
		add("", "-Dderive,appl2 -a OWN/alltypes -c "+file+" -f d t.d t.ds a.b c.b")
		add("PCP_DERIVED_CONTROL=OPTION_NOVALUE=1", "-Dderive,appl1,appl2 -a OWN/ta -c "+file+" -df d t z c u i")
		add("PCP_DERIVED_CONFIG="+file, "-Dderive -a OWN/labels -dlst d")
	}
	for _, l := range []string{
		"-c masks -r t.z=3 -r t.b=4 -r no=x.y -a OWN/ta -m t",
		"-c masks -r t.z=3 -r t.b=4 -r w.w=t.b -a OWN/ta -m t.z t.b w 511.0.3 511.0.4 245.0.1 511.0.44",
		"-c masks -a OWN/ta -t t.a 511.0.3 511.0.8 245.0.77 1.2",
		"-c masks -r a.z=5 -a SUITE/derive -b 2 -fm a z q",
		"-r sample.derived.b=7 -r sample.zzz=1 -a SUITE/derive -m",
		"-r sample.derived.b=7 -a SUITE/derive -m sample.derived 511.2048.4",
		"-r x.y=1 -r x.y=2 -r z=no.such -r z=1 -a OWN/ta -m x z",
		"-a OWN/ta -r x.y=delta(t.b) -f x.y x.y t.b",
		"-a OWN/ta -r x.y=rate(t.a) -v x.y", "-a OWN/ta -r x.y=rate(t.a) -e x.y", "-a OWN/ta -r x.y=t.b -T x.y", "-a OWN/ta -r x.y=t.b -ls x.y",
		"-a OWN/alltypes -O +2 -r x.y=t.ds.s -f x.y", "-a OWN/alltypes -O +2 -r x.y=t.d.ab -f x.y", "-a OWN/alltypes -O +2 -r x.y=t.unsupported -df x.y",
		"-a OWN/alltypes -O +2 -r x.y=t.ds.ull*2 -f x.y", "-a OWN/alltypes -O +2 -r x.y=sum(t.ds.d) -f x.y", "-a OWN/alltypes -O +2 -r x.y=count(t.ds.s) -f x.y",
		"-a OWN/ta -c nosuch:plain -m d", "-a OWN/ta -c plain:nosuch:masks -m d z", "-a OWN/ta -c plain: -m d", "-a OWN/ta -c /dev/null:plain -m d",
		"-a OWN/ta nosuch t.nosuch", "-a OWN/ta t.b t.a", "-a OWN/ta -f t.b",
		"-a SUITE/nosuch -c plain", "-c plain -a OWN/ta -c masks -m d z",
	} {
		for _, flags := range []string{"derive", "derive,appl0,appl1,appl2"} {
			add("", "-D"+flags+" "+l)
		}
	}
	for _, control := range []string{
		"DEBUG_SYNTAX=1", "DEBUG_SEMANTICS=1", "DEBUG_EVAL=1", "DEBUG_SYNTAX=0", "DEBUG_SYNTAX=1,DEBUG_EVAL=0", "DEBUG_EVAL=1,GLOBAL_LIMIT=3,x",
		"CONTEXT_LIMIT=3,GLOBAL_LIMIT=0,DEBUG_SEMANTICS=2", "debug_syntax=1,debug_semantics=1,debug_eval=1", "GLOBAL_LIMIT=2x", "GLOBAL_LIMIT=",
	} {
		for _, flags := range []string{"", "-Dderive ", "-Dderive,appl0 "} {
			add("PCP_DERIVED_CONTROL="+control, flags+"-a OWN/ta -c plain -r x.y=t.b+1 -f d x")
		}
	}
	for _, env := range []string{"/dev/null:plain::nosuch:plain", "nosuch", "plain:masks", ""} {
		add("PCP_DERIVED_CONFIG="+env, "-Dderive -a OWN/ta -m d")
	}
	cs = append(cs, debugHistories(t, own)...)
	cs = append(cs, debugChoices(own, suite)...)
	add("", "-c plain -Dderive -a OWN/ta -m d")
	add("", "-c plain -Dderive -a OWN/ta -c masks -Dappl0 -r x.y=1 -m d z")
	add("PCP_DEBUG=derive", "-c plain -a OWN/ta -m d")
	harness.Compare(t, cs)
}

// debugHistories are expressions that are evaluated at several times, over instances that come, go
// and change their order, and over operands that fail, which ends an evaluation half-way.
func debugHistories(t *testing.T, own string) (cs []harness.Command) {
	t.Helper()
	dir := t.TempDir()
	for i, e := range []string{
		"delta(r.a)", "rate(r.b)", "delta(r.c)", "delta(r.a + r.c)", "r.a * delta(r.c)", "rate(r.c) / r.a", "sum(delta(r.a))", "delta(delta(r.a))",
		"-r.c + r.a", "r.c > 3", "instant(r.b) - r.a", "delta(scalar(r.a[r1]))", "count(r.c) * delta(r.a)", "rate(r.b) + r.c * delta(r.c)",
	} {
		file := fmt.Sprintf("%s/%d", dir, i)
		if err := os.WriteFile(file, []byte("x.y = "+e+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, step := range []string{"1", "0.7"} {
			cs = append(cs, harness.Command{Note: e,
				Args: []string{"pmval", "-Dderive,appl2", "-a", own + "/scrambled", "-t", step, "--derived", file, "x.y"}})
		}
	}
	for _, origin := range []string{"+1", "+2", "+3", "+5"} {
		for archive, list := range map[string][]string{
			"ta": {
				"delta(t.s)", "sum(t.b) + t.s", "t.s + t.b", "-t.s", "!t.s", "sum(t.s)", "delta(t.a)", "rate(t.a) + t.d", "t.d + delta(t.s)", "instant(t.a) * t.d",
				"rescale(t.a, \"count\")", "t.b[one] + t.s", "matchinst(/o/, t.b) + t.s", "scalar(t.b) + t.s", "defined(t.s) ? t.s : t.d", "t.s && t.d",
				"t.d || t.s", "(t.s + t.d) * t.b", "abs(t.s)", "t.d > 0 ? t.s : t.d", "t.s > 0 ? t.d : -t.d", "count(t.s) + t.d", "t.d + (t.d > 0 ? -t.s : t.d)",
			},
			"scrambled": {"r.c + r.a", "r.a + r.c", "sum(r.c)", "r.c[r1]", "matchinst(/1/, r.c)", "scalar(r.c)", "instant(r.b) + r.c * 2", "count(r.c)"},
		} {
			for _, e := range list {
				cs = append(cs, harness.Command{Args: []string{"pminfo", "-Dderive,appl2", "-a", own + "/" + archive, "-O", origin, "-r", "x.y=" + e, "-f", "x.y"}})
			}
		}
	}
	return cs
}

// debugChoices are choices whose arms do not fit each other, and expressions above what does not
// fit.
func debugChoices(own, suite string) (cs []harness.Command) {
	for archive, list := range map[string][]string{
		suite + "/pyapi": {
			"sample.bin > 400 ? sample.longlong.ten : sample.bin", "sample.bin > 400 ? sample.bin : sample.longlong.ten",
			"sample.longlong.ten > 3 ? sample.longlong.ten : sample.bin", "sample.bin > 3 ? sample.longlong.ten : sample.long.ten",
			"sample.bin > 3 ? sample.longlong.ten : sample.colour", "sample.bin > 3 ? sample.bin * 1.0 : sample.colour", "sample.bin > 3 ? 1.5 : sample.bin",
			"sample.bin > 3 ? (1 > 2 ? sample.longlong.ten : sample.bin) : sample.bin", "sample.bin > 3 ? sample.string.hullo : sample.bin",
		},
		own + "/ta": {"(t.a + (t.b + t.s)) * 2", "((t.b + t.s) * t.a + 1) / 2", "sum(t.b + t.a)", "(t.d > 1 ? t.b + t.a : t.b) * 2"},
	} {
		for _, e := range list {
			for _, flags := range []string{"derive,appl1", "derive,appl0,appl1,appl2", "derive,appl1,desperate"} {
				cs = append(cs, harness.Command{Args: []string{"pminfo", "-D" + flags, "-a", archive, "-r", "x.y=" + e, "-d", "x.y"}})
			}
		}
	}
	return cs
}
