package derive_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/derive"
	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// damagedOver are the archives that derived metrics are evaluated over while they are damaged.
var damagedOver = []string{"ta", "ta_v2", "sample", "wrap", "derived", "indoms", "events", "labels_v2", "domains", "interp",
	"marks", "gaps", "setA,setB", "setA,setB_v2", "units", "extra"}

// shapes are expressions over metrics, which replace A and B.
var shapes = []string{"A + B", "A / B", "-A * 2", "!A", "A > B && B", "A > 1 ? A : B", "A > 1 ? A : novalue()", "rate(A)", "delta(A) + delta(B)",
	"instant(A) + count(B)", "sum(A) / count(A)", "avg(A) - min(B)", "max(A)", "scalar(A)", "defined(A) ? A : 1", "matchinst(/0|a/, A)",
	"matchinst(!/1/, rate(A))", "A[one]", "A[m-00] + scalar(B)", "rescale(A, \"sec\")", "mkconst(3, meta=A) + A", "rate(sum(A) + B)"}

// damagedDerived evaluates derived metrics over an archive that is damaged by the numbers of rng:
// interpolated in both directions, and record by record. Nothing may panic or take long, and errors
// have codes.
func damagedDerived(t *testing.T, m archivetest.Memory, rng *rand.Rand) {
	t.Helper()
	list := damagedOver[rng.IntN(len(damagedOver))]
	fsys, done := m.Damaged(rng, strings.Split(list, ",")...)
	var exprs []string
	defer func() {
		if x := recover(); x != nil {
			t.Logf("%s: %s: %q", list, done, exprs)
			panic(x)
		}
	}()
	start := time.Now()
	base, err := pmapi.OpenArchive(t.Context(), list, &archive.Options{FS: fsys})
	if err != nil {
		return
	}
	ctx := context.Background()
	src := derive.NewSource(base, nil, nil)
	defer src.Close()
	var names []string
	_ = src.Walk(ctx, "", true, func(name string, _ pcp.ID) bool { names = append(names, name); return true })
	if len(names) == 0 {
		return
	}
	for i := range 4 {
		expr := strings.NewReplacer("A", names[rng.IntN(len(names))], "B", names[rng.IntN(len(names))]).Replace(shapes[rng.IntN(len(shapes))])
		exprs = append(exprs, expr)
		_ = src.Add(ctx, "d."+string(rune('a'+i)), expr)
	}
	var ids []pcp.ID
	answers, err := src.Lookup(ctx, append(slices.Clone(names[:min(len(names), 2)]), "d.a", "d.b", "d.c", "d.d"))
	for _, a := range answers {
		if a.Err == nil {
			ids = append(ids, a.Value)
		}
	}
	fetches(ctx, t, src, base, ids, rng)
	if took := time.Since(start); err != nil || took > 30*time.Second || t.Failed() {
		t.Fatalf("%s: %s: %q: %v, %v", list, done, exprs, err, took)
	}
}

// fetches fetches metrics in several modes.
func fetches(ctx context.Context, t *testing.T, src *derive.Source, base pmapi.Timeline, ids []pcp.ID, rng *rand.Rand) {
	t.Helper()
	start, end, err := base.Bounds(ctx)
	if err != nil {
		return
	}
	times := []pcp.Timestamp{start, end}
	var dst pcp.Result
	for len(times) < 50 && src.Fetch(ctx, &pmapi.Request{}, &dst) == nil {
		times = append(times, dst.Time)
	}
	for range 5 {
		mode, origin, step := archivetest.Place(rng, times)
		if err := base.SetMode(mode, &origin, step); err != nil {
			t.Error(err)
		}
		for range 8 {
			err := src.Fetch(ctx, &pmapi.Request{IDs: ids}, &dst)
			if err != nil && pmerr.Of(err) == pmerr.Generic {
				t.Errorf("error without a code: %v", err)
			}
			if err == nil && len(dst.Sets) != len(ids) {
				t.Errorf("%d columns of %d", len(dst.Sets), len(ids))
			}
		}
	}
	_, _ = src.Describe(ctx, ids)
	for _, id := range ids {
		_, _ = pmapi.LookupText(ctx, src, pcp.Help, uint32(id))
	}
}

// inMemory builds the archives of damagedOver.
func inMemory(t archivetest.TB) archivetest.Memory {
	names := strings.Split(strings.Join(damagedOver, ","), ",")
	slices.Sort(names)
	return archivetest.InMemory(t, slices.Compact(names)...)
}

// TestDamage evaluates derived metrics over archives that were damaged in many ways.
func TestDamage(t *testing.T) {
	m := inMemory(t)
	runs, seed := archivetest.Runs(t, 500)
	for i := range runs {
		damagedDerived(t, m, rand.New(rand.NewPCG(seed, uint64(i))))
	}
}

// FuzzDamage is TestDamage with a fuzzer that decides what is damaged and what is asked for.
func FuzzDamage(f *testing.F) {
	m := inMemory(f)
	for _, text := range archivetest.Scripts(8) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) { damagedDerived(t, m, archivetest.Script(text)) })
}
