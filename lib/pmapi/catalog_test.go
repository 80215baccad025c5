package pmapi_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmapi/sourcetest"
	"pmtools/lib/pmerr"
)

var (
	shelves = pcp.NewInDom(385, 1)
	books   = pcp.NewID(385, 0, 1)
	doors   = pcp.NewID(385, 0, 2)
)

// fill gives a Catalog two metrics.
func fill(t *testing.T, c *pmapi.Catalog) {
	t.Helper()
	c.Hostname = "library"
	c.SetInstances(shelves, []pcp.Instance{{ID: 3, Name: "low"}, {ID: 7, Name: "high shelf"}})
	for _, m := range []pmapi.CatalogMetric{
		{Name: "library.shelf.books", Desc: pcp.Desc{ID: books, Type: pcp.Int64, InDom: shelves, Sem: pcp.Instant}, OneLine: "books on a shelf"},
		{Name: "library.doors", Desc: pcp.Desc{ID: doors, Type: pcp.Int32, InDom: pcp.NullInDom, Sem: pcp.Discrete}, Text: "doors of the house"},
	} {
		if err := c.Add(m); err != nil {
			t.Fatal(err)
		}
	}
}

// value returns the identifier of a metric plus the number of an instance.
func value(id pcp.ID, inst int32) (pcp.Value, error) {
	if id == doors {
		return pcp.WordValue(pcp.Int32, 2), nil
	}
	return pcp.WordValue(pcp.Int64, uint64(id)+uint64(inst)), nil
}

// A library is a live Source over a Catalog.
type library struct{ pmapi.Catalog }

func (l *library) Fetch(_ context.Context, req *pmapi.Request, dst *pcp.Result) error {
	dst.Time = pcp.TimestampOf(time.Now())
	return l.Columns(req, dst, value)
}

// A chronicle is one over a Replay.
type chronicle struct{ pmapi.Replay }

func (c *chronicle) Fetch(_ context.Context, req *pmapi.Request, dst *pcp.Result) (err error) {
	var i int
	if i, dst.Time, err = c.Next(); err != nil {
		return err
	}
	return c.Columns(req, dst, func(id pcp.ID, inst int32) (pcp.Value, error) { return value(id, inst+int32(i)) })
}

// TestCatalog: a Source over a Catalog keeps what a Source promises, with a past and without one.
func TestCatalog(t *testing.T) {
	t.Run("live", func(t *testing.T) {
		sourcetest.Run(t, func(t *testing.T) pmapi.Source {
			l := new(library)
			fill(t, &l.Catalog)
			return l
		})
	})
	t.Run("past", func(t *testing.T) {
		sourcetest.Run(t, func(t *testing.T) pmapi.Source { return newChronicle(t) })
	})
}

func newChronicle(t *testing.T) *chronicle {
	c := new(chronicle)
	fill(t, &c.Catalog)
	for i := range int64(20) {
		c.Times = append(c.Times, pcp.Timestamp{Sec: 1_700_000_000 + 10*i*i})
	}
	return c
}

// TestCatalogAdd refuses names and identifiers that are taken.
func TestCatalogAdd(t *testing.T) {
	var c pmapi.Catalog
	fill(t, &c)
	for _, tt := range []struct {
		name string
		id   pcp.ID
		want error
	}{
		{"library.windows", doors, pmerr.PMID},
		{"library.doors", pcp.NewID(385, 0, 3), pmerr.Name},
		{"library", pcp.NewID(385, 0, 3), pmerr.Name},
		{"", pcp.NewID(385, 0, 3), pmerr.Name},
		{"library.windows", pcp.NewID(385, 0, 3), nil},
	} {
		if err := c.Add(pmapi.CatalogMetric{Name: tt.name, Desc: pcp.Desc{ID: tt.id}}); !errors.Is(err, tt.want) {
			t.Errorf("Add(%q, %v): %v, want %v", tt.name, tt.id, err, tt.want)
		}
	}
}

// TestCatalogColumns: a value that fails is missing, or fails its metric.
func TestCatalogColumns(t *testing.T) {
	var c pmapi.Catalog
	fill(t, &c)
	var res pcp.Result
	err := c.Columns(&pmapi.Request{IDs: []pcp.ID{books, doors, 5}}, &res, func(id pcp.ID, inst int32) (pcp.Value, error) {
		switch {
		case id == doors:
			return pcp.Value{}, pmerr.Permission
		case inst == 3:
			return pcp.Value{}, pmerr.Value
		}
		return value(id, inst)
	})
	if err != nil {
		t.Fatal(err)
	}
	if s := res.Sets[0]; s.Len() != 1 || s.Insts[0] != 7 || s.Err != nil {
		t.Errorf("a column with a value that is missing: %+v", s)
	}
	if s := res.Sets[1]; s.Len() != 0 || s.Err != pmerr.Permission {
		t.Errorf("a column whose value fails: %+v", s)
	}
	if s := res.Sets[2]; s.Len() != 0 || s.Err != pmerr.PMID {
		t.Errorf("an unknown metric: %+v", s)
	}
}

// TestReplayInterp: between its records a Replay has the values of the record before, and none
// outside.
func TestReplayInterp(t *testing.T) {
	c := newChronicle(t)
	at := pcp.Timestamp{Sec: 1_699_999_995}
	if err := c.SetMode(pcp.Interp, &at, 15*time.Second); err != nil {
		t.Fatal(err)
	}
	var got []int
	for {
		i, when, err := c.Next()
		if when.Compare(at) != 0 {
			t.Fatalf("the time is %v, want %v", when, at)
		}
		at = at.Add(15 * time.Second)
		if err != nil {
			i = -1
		}
		got = append(got, i)
		if len(got) == 5 || i > 2 {
			break
		}
	}
	if want := []int{-1, 1, 1, 2, 2}; !slices.Equal(got, want) {
		t.Errorf("the records are %v, want %v", got, want)
	}
}
