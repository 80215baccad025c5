package debug

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
	_ "pmtools/test/env"
)

// printer returns a Printer for a list of options and what it printed.
func printer(options ...string) (*Printer, *strings.Builder) {
	out := new(strings.Builder)
	return &Printer{On: func(o string) bool { return slices.Contains(options, o) }, Out: out, Zone: time.UTC}, out
}

// host returns an observed connection to a scripted daemon.
func host(t *testing.T, p *Printer) pmapi.Source {
	t.Helper()
	s := pmcdtest.NewServer(pmcdtest.Sample())
	t.Cleanup(func() { s.Close() })
	d := &pmcd.Dialer{DialContext: s.Dial}
	p.Dialer(d)
	src, err := pmapi.OpenHost(t.Context(), "127.0.0.1", d)
	p.Opened(1, "127.0.0.1", err)
	if err != nil {
		t.Fatal(err)
	}
	if !Calls(p.On) {
		return src
	}
	return p.Source(src)
}

// use makes calls to a source, as the commands do.
func use(t *testing.T, src pmapi.Source, name string, id pcp.ID, d pcp.InDom) {
	ctx := t.Context()
	src.Walk(ctx, name, false, func(string, pcp.ID) bool { return true })
	src.Lookup(ctx, []string{name, "no.such"})
	src.Describe(ctx, []pcp.ID{id})
	pmapi.InstancesOf(ctx, src, d, pmapi.Now())
	profile := new(pcp.Profile)
	profile.DelAll()
	profile.Add(d, 200)
	var r pcp.Result
	for range 2 {
		src.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{id}, Profile: profile}, &r)
	}
	pmapi.Store(ctx, src, r.Sets)
	pmapi.LabelsOf(ctx, src, pcp.DomainLabels, id.Domain())
	src.Close()
	src.Close()
}

// stamp is what changes from run to run.
var stamp = regexp.MustCompile(`timestamp: \S+ \S+`)

// TestSource: what each option prints of the same calls.
func TestSource(t *testing.T) {
	for option, want := range map[string]string{
		"pmapi": `pmNewContext(1, 127.0.0.1) <::> returns 0
pmTraversePMNS(sample.bin, ...) <::> returns 1
pmLookupName(2, name[0] sample.bin ... name[1] no.such, ...) <::> returns 1 (pmid[0] 29.0.6 ... pmid[1] PM_ID_NULL)
pmLookupDesc(29.0.6, ...) <::> returns 0
pmGetInDom(29.2, ...) <::> returns 3
pmFetch(1, pmid[0] 29.0.6, ...) <::> returns 0
pmFetch(1, pmid[0] 29.0.6, ...) <::> returns 0
pmStore(...) pmid[0] 29.0.6 <::> returns 0
pmDestroyContext(0) <::> returns 0
`,
		"fetch": strings.Repeat(`pmFetch returns ...
__pmResult dump TIME numpmid: 1
  29.0.6 (sample.bin): numval: 1 vlist[]:
    inst [200 or "bin-200"] value 200
`, 2),
		"profile": `Dump Instance Profile state=EXCLUDE, 1 profiles
	Profile [0] indom=121634818 [29.2] state=EXCLUDE 1 instances
		Instances: [200]
`,
		"indom": `pmInResult dump for InDom 29.2 (0x7400002), numinst=3
  [0] inst=100 name="bin-100"
  [1] inst=200 name="bin-200"
  [2] inst=300 name="bin-300"
`,
		"pmns": `pmLookupName: request_names -> [0] sample.bin
pmLookupName: request_names -> [1] no.such
pmLookupName: receive_names <- [0] 29.0.6
pmLookupName: receive_names <- [1] PM_ID_NULL
pmLookupName(2, ...) -> 1
`,
		"labels": `labels(ident=29,type=0x2, 1 sets)
[0] pmLabelSet inst=-1 nlabels=2
    {"agent":"sample","role":"testing"}
`,
		"context": `pipe: greeting, version=2 features=0xe44
pipe: credentials, version=2 features=0x0
__pmConnectPMCD(127.0.0.1): pmcd connection port=44321 PDU version=2
pmNewContext(1, 127.0.0.1) -> 0
pmDestroyContext(0) -> 0, curr_handle=-1
`,
	} {
		t.Run(option, func(t *testing.T) {
			p, out := printer(option)
			use(t, host(t, p), "sample.bin", pcp.NewID(29, 0, 6), pmcdtest.BinInDom)
			if got := stamp.ReplaceAllString(out.String(), "TIME"); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// TestOff: without an option nothing is observed.
func TestOff(t *testing.T) {
	p, out := printer("appl0")
	src := host(t, p)
	if _, ok := src.(*pmapi.Host); !ok {
		t.Errorf("the source is a %T", src)
	}
	use(t, src, "sample.bin", pcp.NewID(29, 0, 6), pmcdtest.BinInDom)
	d := new(pmcd.Dialer)
	p.Dialer(d)
	o := p.Archive()
	for name, observed := range map[string]bool{
		"steps": d.Step != nil, "trace": d.Trace != nil, "files": o.File != nil, "metadata": o.Metadata != nil, "seeks": o.Seek != nil,
		"records": o.Record != nil, "times between records": o.Between != nil,
	} {
		if observed {
			t.Errorf("somebody observes %s", name)
		}
	}
	if out.Len() > 0 {
		t.Errorf("printed %q", out)
	}
}

// TestArchive: what is read of an archive, as its records are and interpolated.
func TestArchive(t *testing.T) {
	base := archivetest.Path(t, "ta")
	for name, options := range map[string][]string{"log": {"log"}, "logmeta": {"logmeta"}, "interp": {"interp"}, "calls": {"pmapi", "fetch"}} {
		p, out := printer(options...)
		a, err := pmapi.OpenArchive(t.Context(), base, &archive.Options{Observer: p.Archive()})
		if err != nil {
			t.Fatal(err)
		}
		src := p.Source(a)
		line, _ := pmapi.As[pmapi.Timeline](src)
		found, _ := src.Lookup(t.Context(), []string{"t.b"})
		req := &pmapi.Request{IDs: []pcp.ID{found[0].Value}}
		var r pcp.Result
		start, _, _ := line.Bounds(t.Context())
		line.SetMode(pcp.Forward, &start, 0)
		src.Fetch(t.Context(), req, &r)
		src.Fetch(t.Context(), &pmapi.Request{IDs: req.IDs, Records: true}, &r)
		at := start.Add(1500 * time.Millisecond)
		line.SetMode(pcp.Interp, &at, time.Second)
		src.Fetch(t.Context(), req, &r)
		src.Close()
		file := filepath.Join("testdata", name+".txt")
		got := strings.ReplaceAll(out.String(), base, "ta")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(file); err != nil || got != string(want) {
			t.Errorf("%s: got\n%swant\n%s%v", name, got, want, err)
		}
	}
}

var update = flag.Bool("update", false, "write what is printed to testdata")
