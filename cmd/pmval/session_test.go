package main

import (
	"context"
	"strings"
	"testing"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// A domainSource is a past with one instance domain.
type domainSource struct {
	pmapi.Source
	pmapi.Timeline
	insts []pcp.Instance
}

func (d domainSource) Instances(context.Context, []pcp.InDom, pmapi.When) ([]pcp.Answer[[]pcp.Instance], error) {
	return []pcp.Answer[[]pcp.Instance]{{Value: d.insts}}, nil
}

// TestLookupArchived: an exact name comes first; else the first word of a name is enough, and
// anything may follow.
func TestLookupArchived(t *testing.T) {
	s := &session{metric: metric{desc: pcp.Desc{InDom: 1}}}
	past := domainSource{insts: []pcp.Instance{{ID: 5, Name: "5 minute"}, {ID: 1, Name: "1 minute"}, {ID: 15, Name: "15 minute"}, {ID: 7, Name: "7"}}}
	s.src, s.timeline = past, past
	tests := []struct {
		name string
		want int32
		ok   bool
	}{
		{"1 minute", 1, true}, {"15 minute", 15, true}, {"1", 1, true}, {"15", 1, true}, {"1minute", 1, true}, {"5", 5, true}, {"7", 7, true},
		{"7x", 0, false}, {"minute", 0, false}, {"", 0, false},
	}
	for _, tt := range tests {
		if got, ok := s.lookupInst(context.Background(), tt.name); got != tt.want || ok != tt.ok {
			t.Errorf("%q: got %d, %v, want %d, %v", tt.name, got, ok, tt.want, tt.ok)
		}
	}
}

// namer adds the lookup of single instances to a fake source.
type namer struct{ *fakeSource }

func (namer) LookupInst(_ context.Context, _ pcp.InDom, name string) (int32, error) {
	if name == "short" {
		return 3, nil
	}
	return 0, context.Canceled
}

func (namer) InstName(context.Context, pcp.InDom, int32) (string, error) { return "", nil }

// TestLookupLive: a live source is asked for the one instance, not for all.
func TestLookupLive(t *testing.T) {
	f := &fakeSource{insts: [][]pcp.Instance{{{ID: 1, Name: "one"}, {ID: 2, Name: "two"}}}}
	s := &session{opened: opened{src: namer{f}}, metric: metric{desc: pcp.Desc{InDom: 1}}}
	ctx := context.Background()
	if got, ok := s.lookupInst(ctx, "short"); got != 3 || !ok {
		t.Errorf("short: got %d, %v", got, ok)
	}
	if _, ok := s.lookupInst(ctx, "one"); ok {
		t.Error("all instances were asked for")
	}
}

// TestInstances: columns are in the order of the identifiers, labels as they were written; a name
// may come twice.
func TestInstances(t *testing.T) {
	base := archivetest.Path(t, "alltypes")
	tests := []struct{ insts, want string }{
		{"three,zero", "zero three"},
		{"zero,zero", "zero zero"},
		{"'two two'", "two two"},
		{"two", "two"},
		{",", ""},
	}
	for _, tt := range tests {
		got := run([]string{"-a", base, "-s", "1", "-i", tt.insts, "t.is.l"}, nil)
		lines := strings.Split(got.Stdout, "\n")
		if len(lines) < 11 {
			t.Errorf("%s: %+v", tt.insts, got)
			continue
		}
		label := strings.Join(strings.Fields(lines[10]), " ")
		if tt.want == "" {
			label = strings.TrimPrefix(label, "22:13:20.000") // there is no line of labels
		}
		if label != tt.want {
			t.Errorf("%s: got %q, want %q\n%s", tt.insts, label, tt.want, got.Stdout)
		}
	}
	got := run([]string{"-a", base, "-i", "zero,no", "t.is.l"}, nil)
	if got.Stderr != "pmval: instance no not available\n" || got.Status != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestUnknown(t *testing.T) {
	s := &session{flags: &flags{}, metric: metric{desc: pcp.Desc{InDom: 1}, columns: []column{{inst: 0}, {inst: 2}}}}
	v := &pcp.Values{Insts: []int32{2, 0}}
	for range 2 { // the second time it is remembered
		if s.unknown(v) {
			t.Error("known instances are unknown")
		}
	}
	v.Insts = append(v.Insts, 1)
	if !s.unknown(v) {
		t.Error("an unknown instance is known")
	}
	s.flags.hasInsts = true
	if s.unknown(v) {
		t.Error("instances that were not asked for count")
	}
}
