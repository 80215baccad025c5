package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pmtools/cmd/internal/cli"
	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
	"pmtools/lib/when"
)

// singular is the description of a metric without instances.
func singular(t pcp.Type, sem pcp.Sem) pcp.Desc {
	return pcp.Desc{ID: pcp.NewID(1, 2, 3), Type: t, InDom: pcp.NullInDom, Sem: sem}
}

// one is a sample of such a metric.
func one(sec int64, w uint64) fakeSample {
	return fakeSample{sec: sec, values: map[int32]uint64{-1: w}}
}

// below returns what stands below the header.
func below(stdout string) string {
	i := strings.Index(stdout, "samples:")
	if i < 0 {
		return stdout
	}
	_, rest, _ := strings.Cut(stdout[i:], "\n")
	if strings.HasPrefix(rest, "interval:") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return rest
}

func TestLoopSingular(t *testing.T) {
	tests := []struct {
		name   string
		desc   pcp.Desc
		args   string
		script []fakeSample
		want   string
		errs   string
		status int
	}{
		{"instant", singular(pcp.Uint32, pcp.Instant), "-s 2", []fakeSample{one(1, 7), one(2, 8)}, "          7\n          8\n", "", 0},
		{"counter", singular(pcp.Uint32, pcp.Counter), "-s 2", []fakeSample{one(1, 7), one(2, 8), one(4, 10)}, "     1.000 \n     1.000 \n", "", 0},
		{"counter falls", singular(pcp.Uint32, pcp.Counter), "-s 1", []fakeSample{one(1, 7), one(2, 6)}, "          !\n", "", 0},
		{"raw counter", singular(pcp.Uint32, pcp.Counter), "-r -s 1", []fakeSample{one(1, 7)}, "          7\n", "", 0},
		{"no values at first", singular(pcp.Uint32, pcp.Counter), "-s 3", []fakeSample{{sec: 1}, one(2, 7), one(3, 8), one(4, 10)},
			"No values available\nNo values available\n     1.000 \n     2.000 \n", "", 0},
		{"no values between", singular(pcp.Uint32, pcp.Counter), "-s 4", []fakeSample{one(1, 7), one(2, 8), {sec: 3}, one(4, 9), one(5, 10), one(6, 11)},
			"     1.000 \nNo values available\nNo values available\n     1.000 \n     1.000 \n", "", 0},
		{"an error of the metric", singular(pcp.Uint32, pcp.Instant), "-s 3", []fakeSample{one(1, 7), {sec: 2, code: pmerr.Again}, one(3, 8)},
			"          7\n          8\n", "\npmval: pmFetch: Try again. Information not currently available\n", 0},
		{"an error of the fetch", singular(pcp.Uint32, pcp.Instant), "-s 3", []fakeSample{one(1, 7), {err: pmerr.IPC}},
			"          7\n", "\npmval: pmFetch: IPC protocol failure\n", 1},
		{"none at all", singular(pcp.Uint32, pcp.Instant), "-s 0", nil, "", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &fakeSource{desc: tt.desc, script: tt.script}
			out, errs, status := live(t, f, append(strings.Fields(tt.args), "-t", "0.001", "m")...)
			if got := below(out); got != tt.want || errs != tt.errs || status != tt.status {
				t.Errorf("got %q, %q, %d\nwant %q, %q, %d", got, errs, status, tt.want, tt.errs, tt.status)
			}
		})
	}
}

// TestLoopInstances: an instance comes, another goes.
func TestLoopInstances(t *testing.T) {
	f := &fakeSource{
		desc:  pcp.Desc{ID: pcp.NewID(1, 2, 3), Type: pcp.Int32, InDom: pcp.NewInDom(1, 1), Sem: pcp.Instant},
		insts: [][]pcp.Instance{{{ID: 2, Name: "two"}, {ID: 1, Name: "one"}}, {{ID: 2, Name: "two"}, {ID: 3, Name: "three"}}},
		script: []fakeSample{
			{sec: 1, values: map[int32]uint64{1: 10, 2: 20, 9: 90, 8: 80}},
			{sec: 2, values: map[int32]uint64{1: 11, 2: 21}},
			{sec: 3, values: map[int32]uint64{2: 22, 3: 32}},
			{sec: 4, values: map[int32]uint64{3: 33}},
		},
	}
	out, errs, status := live(t, f, "-s", "4", "-t", "0.001", "m")
	want := `
        one         two 
         10          20 
Warning: value=80, but instance=8 is unknown
Warning: value=90, but instance=9 is unknown
         11          21 

        two       three 
         22          32 
          ?          33 
`
	if got := below(out); got != want || errs != "" || status != 0 {
		t.Errorf("got %s%q %d, want %s", got, errs, status, want)
	}
}

// TestReconnect: the third attempt succeeds, and pmval identifies itself again.
func TestReconnect(t *testing.T) {
	f := &fakeSource{
		desc:   singular(pcp.Uint32, pcp.Instant),
		script: []fakeSample{one(1, 7), {err: pmerr.IPC}, one(9, 8), one(10, 9)},
	}
	out, errs, status := live(t, f, "-s", "4", "-t", "0.001", "--reconnect", "m")
	if got := below(out); got != "          7\n          8\n          9\n" || errs != "pmval: pmFetch: IPC protocol failure\n" || status != 0 {
		t.Errorf("got %q, %q, %d", got, errs, status)
	}
	if f.reconnects != 1 || len(f.stored) != 2 {
		t.Errorf("%d connections, %d stores", f.reconnects, len(f.stored))
	}
}

func TestStore(t *testing.T) {
	tests := []struct {
		desc     pcp.Desc
		value    string
		storeErr error
		want     string // the message; "" if it is stored
	}{
		{singular(pcp.Int32, pcp.Instant), "12", nil, ""},
		{singular(pcp.String, pcp.Instant), "1 2", nil, ""},
		{singular(pcp.Event, pcp.Instant), "x", nil, ""},
		{singular(pcp.Int32, pcp.Instant), "1a", nil, `filter "1a" incompatible with metric type (PM_TYPE_32)`},
		{singular(pcp.Int32, pcp.Instant), "99999999999", nil, `filter value "99999999999" is out of range for metric data type (PM_TYPE_32)`},
		{singular(pcp.Aggregate, pcp.Instant), "1", nil, `filter "1" incompatible with metric type (PM_TYPE_AGGREGATE)`},
		{singular(pcp.Int32, pcp.Instant), "1", pmerr.Permission, `store value "1" failed: No permission to perform requested operation`},
	}
	for _, tt := range tests {
		f := &fakeSource{desc: tt.desc, storeErr: tt.storeErr}
		out, errs, status := live(t, f, "-s", "0", "-x", tt.value, "m")
		if tt.want != "" {
			if errs != "pmval: "+tt.want+"\n" || out != "" || status != 1 {
				t.Errorf("%v %q: got %q, %q, %d", tt.desc.Type, tt.value, out, errs, status)
			}
			continue
		}
		if status != 0 || len(f.stored) != 2 {
			t.Errorf("%v %q: %q, %d, %v", tt.desc.Type, tt.value, errs, status, f.stored)
			continue
		}
		if v := f.stored[1]; v.Insts[0] != pcp.NullInst || v.Len() != 1 {
			t.Errorf("%v %q: stored %v", tt.desc.Type, tt.value, v)
		}
	}
}

// TestStoreInstances: the value goes to the instances that are shown.
func TestStoreInstances(t *testing.T) {
	f := &fakeSource{
		desc:  pcp.Desc{ID: 1, Type: pcp.Double, InDom: pcp.NewInDom(1, 1), Sem: pcp.Instant},
		insts: [][]pcp.Instance{{{ID: 2, Name: "two"}, {ID: 1, Name: "one"}, {ID: 3, Name: "three"}}},
	}
	if _, errs, status := live(t, f, "-s", "0", "-x", "1.5", "-i", "three,one", "m"); status != 0 {
		t.Fatal(errs)
	}
	if v := f.stored[1]; len(v.Insts) != 2 {
		t.Errorf("stored %v", v)
	} else if v.Insts[0] != 1 || v.Insts[1] != 3 || len(v.Words) != 2 {
		t.Errorf("stored %v", v)
	}
	if _, errs, status := live(t, f, "-s", "0", "-i", "four", "m"); status != 1 || errs != "pmval: instance four not available\n" {
		t.Errorf("got %q, %d", errs, status)
	}
}

// TestIdentify: the daemon gets the command line.
func TestIdentify(t *testing.T) {
	f := &fakeSource{desc: singular(pcp.Int32, pcp.Instant)}
	live(t, f, "-s", "0", "m")
	if len(f.stored) != 1 || !strings.HasSuffix(string(f.stored[0].Blobs[0]), " pmval -s 0 m") {
		t.Errorf("stored %v", f.stored)
	}
}

// TestPacer: the times of samples do not drift, whatever a sample takes.
func TestPacer(t *testing.T) { synctest.Test(t, testPacer) }

func testPacer(t *testing.T) {
	const step = 20 * time.Millisecond
	env := new(cli.Env)
	env.Out = bufio.NewWriter(io.Discard)
	c := &pacer{on: true, env: env, clock: when.Clock{Interval: step}}
	c.clock.Due(time.Now())
	begin := time.Now()
	for range 10 {
		time.Sleep(step / 4)
		if _, err := c.wait(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if got := time.Since(begin); got != 10*step {
		t.Errorf("ten steps of %v took %v", step, got)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c.clock.Interval = time.Hour
	c.clock.Due(time.Now())
	if _, err := c.wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	c.on = false
	if _, err := c.wait(context.Background()); err != nil {
		t.Errorf("got %v", err)
	}
}

// TestRecordedInstances: with -U, a record without the instances of -i that has others is a line of question
// marks; one without values has a message.
func TestRecordedInstances(t *testing.T) {
	base := filepath.Join(t.TempDir(), "a")
	w, err := archive.Create(base, &archive.WriterOptions{Host: "h", Zone: "UTC"})
	if err != nil {
		t.Fatal(err)
	}
	desc := pcp.Desc{ID: pcp.NewID(1, 2, 3), Type: pcp.Int32, InDom: pcp.NewInDom(1, 1), Sem: pcp.Instant}
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(w.AddMetric(desc, "m"))
	check(w.SetInDom(pcp.Timestamp{Sec: 1}, desc.InDom, []pcp.Instance{{ID: 1, Name: "one"}, {ID: 2, Name: "two"}}))
	for i, insts := range [][]int32{{1}, {1, 2}, {}, {1}, {2}} {
		words := []uint64{7, 8}[:len(insts)]
		check(w.Put(&pcp.Result{Time: pcp.Timestamp{Sec: int64(i) + 1}, Sets: []pcp.Values{{ID: desc.ID, Type: desc.Type, Insts: insts, Words: words}}}))
	}
	check(w.Close())
	for _, tt := range []struct{ mode, want string }{
		{"-U", "\n                    two \n00:00:01.000          ? \n00:00:02.000          8 \n00:00:03.000  No values available\n" +
			"\n                    two \n00:00:04.000          ? \n00:00:05.000          7 \n"},
		{"-a", "00:00:01.000  No values available\n\n                    two \n" +
			"00:00:02.000          8 \n00:00:03.000          8 \n00:00:04.000          7 \n00:00:05.000          7 \n"},
	} {
		got := run([]string{tt.mode, base, "-Z", "UTC", "-i", "two", "m"}, nil)
		if text := below(got.Stdout); text != tt.want || got.Status != 0 {
			t.Errorf("%s: got %s%s%d, want %s", tt.mode, text, got.Stderr, got.Status, tt.want)
		}
	}
}
