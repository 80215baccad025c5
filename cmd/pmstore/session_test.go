package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pmtools/cmd/internal/cli"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A fakeSource has one metric. It records the requests in calls.
type fakeSource struct {
	pmapi.Source // nil: what is not below may not be asked
	desc         pcp.Desc
	insts        []pcp.Instance
	columns      []pcp.Values // answers of Fetch, one after the other
	fail         string       // the call that fails
	listed       []pcp.Instance
	calls        []string
	profile      *pcp.Profile // of the last fetch
}

// call notes a call, and returns an error if it is to fail.
func (f *fakeSource) call(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	f.calls = append(f.calls, text)
	if f.fail != "" && strings.HasPrefix(text, f.fail) {
		return pmerr.IPC
	}
	return nil
}

func (f *fakeSource) Lookup(_ context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	return []pcp.Answer[pcp.ID]{{Value: f.desc.ID}}, f.call("lookup %v", names)
}

func (f *fakeSource) Describe(context.Context, []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	return []pcp.Answer[pcp.Desc]{{Value: f.desc}}, f.call("describe")
}

func (f *fakeSource) Instances(context.Context, []pcp.InDom, pmapi.When) ([]pcp.Answer[[]pcp.Instance], error) {
	return []pcp.Answer[[]pcp.Instance]{{Value: f.listed}}, f.call("instances")
}

func (f *fakeSource) Fetch(_ context.Context, req *pmapi.Request, dst *pcp.Result) error {
	n := 0
	for _, c := range f.calls {
		if strings.HasPrefix(c, "fetch") {
			n++
		}
	}
	f.profile = req.Profile
	dst.Reset(1)
	dst.Sets[0] = f.columns[min(n, len(f.columns)-1)]
	return f.call("fetch %d", n+1)
}

func (f *fakeSource) LookupInst(context.Context, pcp.InDom, string) (int32, error) {
	return 0, pmerr.NYI
}

func (f *fakeSource) InstName(context.Context, pcp.InDom, int32) (string, error) {
	return "", pmerr.NYI
}

// A fakeHost is a fakeSource that finds instances and takes values.
type fakeHost struct {
	fakeSource
	stored []pcp.Values
}

func (f *fakeHost) LookupInst(_ context.Context, _ pcp.InDom, name string) (int32, error) {
	if err := f.call("find %s", name); err != nil {
		return 0, err
	}
	for _, in := range f.insts {
		if in.Name == name {
			return in.ID, nil
		}
	}
	return 0, pmerr.Inst
}

func (f *fakeHost) InstName(_ context.Context, _ pcp.InDom, inst int32) (string, error) {
	if err := f.call("name %d", inst); err != nil {
		return "", err
	}
	for _, in := range f.insts {
		if in.ID == inst {
			return in.Name, nil
		}
	}
	return "", pmerr.Inst
}

func (f *fakeHost) Store(_ context.Context, sets []pcp.Values) error {
	f.stored = sets
	return f.call("store")
}

func (f *fakeHost) Reconnect(context.Context) error { return pmerr.NYI }

// store runs a session over a source and returns what it printed, its error and its source's calls.
func store(src pmapi.Source, f *flags, value string) (stdout, stderr string, err error) {
	var out, errs strings.Builder
	env := &cli.Env{Stderr: &errs}
	env.Out = bufio.NewWriter(&out)
	s := &session{flags: f, env: env, src: src, format: format.Options{}, name: "m"}
	err = s.run(context.Background(), value)
	env.Out.Flush()
	return out.String(), errs.String(), err
}

// A case's domain and its columns.
var (
	testInDom = pcp.NewInDom(1, 1)
	single    = pcp.Values{Type: pcp.Int32, Insts: []int32{pcp.NullInst}, Words: []uint64{1}}
	triple    = pcp.Values{Type: pcp.Int32, Insts: []int32{1, 2, 3}, Words: []uint64{10, 20, 30}}
)

func newHost(d pcp.InDom, columns ...pcp.Values) *fakeHost {
	insts := []pcp.Instance{{ID: 1, Name: "a"}, {ID: 2, Name: "b"}, {ID: 3, Name: "c"}}
	return &fakeHost{fakeSource: fakeSource{desc: pcp.Desc{ID: pcp.NewID(1, 2, 3), InDom: d}, insts: insts, listed: insts[:2], columns: columns}}
}

// TestSteps has what is asked of a source, in which order, and what ends it.
func TestSteps(t *testing.T) {
	for _, tt := range []struct {
		name   string
		host   *fakeHost
		flags  flags
		fail   string
		calls  string
		stdout string
	}{
		{"single", newHost(pcp.NullInDom, single), flags{}, "", "lookup [m] describe, fetch 1, store", "m old value=1 new value=5\n"},
		{"single, fetched again", newHost(pcp.NullInDom, single), flags{fetch: true}, "", "lookup [m] describe, fetch 1, store, fetch 2", "m old value=1 new value=1\n"},
		{"several: names are listed, one that is missing asked for", newHost(testInDom, triple), flags{}, "", "lookup [m] describe, fetch 1, store, instances, name 3",
			"m inst [1 or \"a\"] old value=10 new value=5\nm inst [2 or \"b\"] old value=20 new value=5\nm inst [3 or \"c\"] old value=30 new value=5\n"},
		{"one instance: its name is asked for", newHost(testInDom, pcp.Values{Type: pcp.Int32, Insts: []int32{2}, Words: []uint64{20}}), flags{insts: []string{"b"}}, "",
			"lookup [m] describe, find b, fetch 1, store, name 2", "m inst [2 or \"b\"] old value=20 new value=5\n"},
		{"two of them: each name is asked for", newHost(testInDom, pcp.Values{Type: pcp.Int32, Insts: []int32{1, 2}, Words: []uint64{10, 20}}),
			flags{insts: []string{"b", "a"}}, "", "lookup [m] describe, find b, find a, fetch 1, store, name 1, name 2",
			"m inst [1 or \"a\"] old value=10 new value=5\nm inst [2 or \"b\"] old value=20 new value=5\n"},
		{"no list", newHost(testInDom, triple), flags{}, "instances", "lookup [m] describe, fetch 1, store, instances, name 1, name 2, name 3",
			"m inst [1 or \"a\"] old value=10 new value=5\nm inst [2 or \"b\"] old value=20 new value=5\nm inst [3 or \"c\"] old value=30 new value=5\n"},
		{"no names", newHost(testInDom, pcp.Values{Type: pcp.Int32, Insts: []int32{9}, Words: []uint64{1}}), flags{}, "", "lookup [m] describe, fetch 1, store, name 9",
			"m inst [9] old value=1 new value=5\n"},
		{"old and new values are of one instance", newHost(testInDom, triple, pcp.Values{Type: pcp.Int32, Insts: []int32{3, 4, 1}, Words: []uint64{33, 44, 11}}),
			flags{fetch: true}, "", "lookup [m] describe, fetch 1, store, fetch 2, instances, name 3, name 4",
			"m inst [3 or \"c\"] old value=30 new value=33\nm inst [4] old value=\"(none)\" new value=44\nm inst [1 or \"a\"] old value=10 new value=11\n"},
		{"lookup", newHost(pcp.NullInDom, single), flags{}, "lookup", "lookup [m]", "m: pmLookupName: IPC protocol failure\n"},
		{"describe", newHost(pcp.NullInDom, single), flags{}, "describe", "lookup [m] describe", "m: pmLookupDesc: IPC protocol failure\n"},
		{"find", newHost(testInDom, single), flags{insts: []string{"x"}}, "find", "lookup [m] describe, find x", "pmLookupInDom m[x]: IPC protocol failure\n"},
		{"find none", newHost(testInDom, single), flags{insts: []string{"a", "x"}}, "", "lookup [m] describe, find a, find x", "pmLookupInDom m[x]: Unknown or illegal instance identifier\n"},
		{"instances of a single metric", newHost(pcp.NullInDom, single), flags{insts: []string{"x"}}, "", "lookup [m] describe",
			"pmLookupInDom m[x]: Unknown or illegal instance domain identifier\n"},
		{"fetch", newHost(pcp.NullInDom, single), flags{}, "fetch", "lookup [m] describe, fetch 1", "m: pre pmFetch: IPC protocol failure\n"},
		{"store", newHost(pcp.NullInDom, single), flags{fetch: true}, "store", "lookup [m] describe, fetch 1, store", "m: new value=\"5\" pmStore: IPC protocol failure\n"},
		{"second fetch", newHost(pcp.NullInDom, single), flags{fetch: true}, "fetch 2", "lookup [m] describe, fetch 1, store, fetch 2", "m: post pmFetch: IPC protocol failure\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.host.fail = tt.fail
			stdout, stderr, err := store(tt.host, &tt.flags, "5")
			if stdout != tt.stdout || stderr != "" {
				t.Errorf("printed %q and %q, want %q", stdout, stderr, tt.stdout)
			}
			if calls := strings.Replace(strings.Join(tt.host.calls, ", "), "], ", "] ", 1); calls != tt.calls {
				t.Errorf("asked %q, want %q", calls, tt.calls)
			}
			var exit cli.Exit
			if failed := strings.Contains(stdout, ": "); failed != errors.As(err, &exit) || !failed && err != nil {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestStored has what is given to a source.
func TestStored(t *testing.T) {
	for _, tt := range []struct {
		name  string
		t     pcp.Type
		old   pcp.Values
		value string
		want  pcp.Values
	}{
		{"integer", pcp.Int32, triple, "-7", pcp.Values{Insts: []int32{1, 2, 3}, Words: []uint64{^uint64(6), ^uint64(6), ^uint64(6)}}},
		{"unsigned", pcp.Uint64, triple, "-1", pcp.Values{Insts: []int32{1, 2, 3}, Words: []uint64{^uint64(0), ^uint64(0), ^uint64(0)}}},
		{"string", pcp.String, single, "a b", pcp.Values{Insts: []int32{pcp.NullInst}, Blobs: [][]byte{[]byte("a b")}}},
		{"nothing so far", pcp.Int32, pcp.Values{}, "7", pcp.Values{Insts: []int32{0}, Words: []uint64{7}}},
		{"nothing so far, string", pcp.String, pcp.Values{}, "", pcp.Values{Insts: []int32{0}, Blobs: [][]byte{{}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(pcp.NullInDom, tt.old)
			h.desc.Type = tt.t
			if stdout, stderr, err := store(h, &flags{force: true}, tt.value); err != nil {
				t.Fatal(stdout, stderr, err)
			}
			tt.want.ID, tt.want.Type = h.desc.ID, tt.t
			if got := h.stored; len(got) != 1 || fmt.Sprint(got[0]) != fmt.Sprint(tt.want) {
				t.Errorf("stored %v, want %v", got, tt.want)
			}
		})
	}
}

// TestProfile has what -i makes of the fetches.
func TestProfile(t *testing.T) {
	h := newHost(testInDom, triple)
	if _, _, err := store(h, &flags{insts: []string{"c", "a", "c"}}, "1"); err != nil {
		t.Fatal(err)
	}
	for inst, want := range map[int32]bool{1: true, 2: false, 3: true, 4: false} {
		if h.profile.Selects(testInDom, inst) != want {
			t.Errorf("instance %d: %v", inst, !want)
		}
	}
	if _, _, err := store(h, new(flags), "1"); err != nil || !h.profile.All() {
		t.Errorf("without -i not all: %v", err)
	}
}

// TestReadOnly stores to a source that takes nothing.
func TestReadOnly(t *testing.T) {
	src := &newHost(pcp.NullInDom, single).fakeSource
	if stdout, _, _ := store(src, new(flags), "1"); stdout != "m: new value=\"1\" pmStore: Operation requires context with host source of metrics\n" {
		t.Errorf("%q", stdout)
	}
	src = &newHost(testInDom, triple).fakeSource
	if stdout, _, _ := store(src, &flags{insts: []string{"a"}}, "1"); !strings.HasPrefix(stdout, "pmLookupInDom m[a]: ") {
		t.Errorf("%q", stdout)
	}
}

// TestAddInsts has the arguments of -i.
func TestAddInsts(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{[]string{""}, nil},
		{[]string{" ,\t\n,"}, nil},
		{[]string{"a"}, []string{"a"}},
		{[]string{"a,b c\td\ne"}, []string{"a", "b", "c", "d", "e"}},
		{[]string{",,a , b,"}, []string{"a", "b"}},
		{[]string{"a", "", "b,a"}, []string{"a", "b", "a"}},
		{[]string{`"a b"`, `c\,d`, "e\rf"}, []string{`"a`, `b"`, `c\`, "d", "e\rf"}},
	} {
		f := new(flags)
		for _, a := range tt.args {
			if err := f.addInsts(a); err != nil {
				t.Error(err)
			}
		}
		if !slices.Equal(f.insts, tt.want) {
			t.Errorf("%q: %q, want %q", tt.args, f.insts, tt.want)
		}
	}
}

// FuzzStore stores any text to metrics of any type, with and without a value and several instances:
// what is not refused is stored once, and shown.
func FuzzStore(f *testing.F) {
	for _, v := range []string{"", "5", "-1", "0x1f", "1e400", "nan", " 7 ", "a\"b", "\xff"} {
		for t := int32(-1); t < 12; t++ {
			f.Add(t, byte(t), v)
		}
	}
	f.Fuzz(func(t *testing.T, typ int32, kind byte, value string) {
		d, column := pcp.NullInDom, single
		if kind&1 != 0 {
			d, column = testInDom, triple
		}
		if kind&2 != 0 {
			column = pcp.Values{}
		}
		h := newHost(d, column)
		h.desc.Type = pcp.Type(typ)
		stdout, stderr, err := store(h, &flags{force: kind&4 != 0, fetch: kind&8 != 0}, value)
		switch {
		case err != nil && h.stored != nil:
			t.Errorf("stored %v, and failed: %v", h.stored, err)
		case err == nil && (len(h.stored) != 1 || h.stored[0].Len() == 0 || stderr != ""):
			t.Errorf("stored %v, printed %q", h.stored, stderr)
		case err == nil && kind&(2|8) != 2|8 && !strings.Contains(stdout, "new value="):
			t.Errorf("printed %q", stdout)
		case utf8.ValidString(value) && !utf8.ValidString(stdout+stderr):
			t.Errorf("printed %q", stdout+stderr)
		}
	})
}
