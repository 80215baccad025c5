package archive_test

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
)

// sameTimes returns an archive whose records come in threes of the same time, each with a value of
// its own.
func sameTimes(t *testing.T) string {
	t.Helper()
	r := newRaw(3)
	r.data = rawLabel(3, 0)
	for i := range 12 {
		rec, err := archive.AppendRecord(nil, 3, mini(seconds(int64(10*(i/3))), int32(i)))
		must(t, err)
		r.data = append(r.data, rec...)
	}
	return r.write(t)
}

// damagedMember returns a set whose first archive breaks off in the middle.
func damagedMember(t *testing.T) string {
	t.Helper()
	list := setPath(t, "setA", "setB")
	file := strings.Split(list, ",")[0] + ".0"
	b, err := os.ReadFile(file)
	must(t, err)
	b[808+int(binary.BigEndian.Uint32(b[808:]))+3]++ // the length of the second record
	must(t, os.WriteFile(file, b, 0o666))
	return list
}

// TestFollow reads n records, lets a Cursor of another Set follow, and reads on with both: records,
// marks and errors are the same.
func TestFollow(t *testing.T) {
	sources := map[string]string{
		"raw": newRaw(2).write(t), "same times": sameTimes(t), "marks": setPath(t, "marks"), "volumes": setPath(t, "volumes"),
		"set": setPath(t, "setB", "setA"), "overlap": setPath(t, "setA", "overlap"), "damaged": damagedMember(t),
	}
	for name, path := range sources {
		t.Run(name, func(t *testing.T) {
			for _, mode := range []pcp.Mode{pcp.Forward, pcp.Back} {
				for n := range 14 {
					s, other := open(t, path), open(t, path)
					c := s.Cursor()
					if mode == pcp.Back {
						c = at(t, s, mode, 1000)
					}
					var dst pcp.Result
					for range n {
						_ = c.Next(bg, &dst)
					}
					d := other.Cursor()
					if !d.Follow(c) {
						t.Fatalf("mode %d after %d: did not follow", mode, n)
					}
					if c.Origin() != d.Origin() || c.Label() != d.Label() {
						t.Errorf("mode %d after %d: at %v and %v, labels %v and %v", mode, n, c.Origin(), d.Origin(), c.Label(), d.Label())
					}
					if got, want := replay(d), replay(c); got != want {
						t.Errorf("mode %d after %d: got %s, want %s", mode, n, got, want)
					}
				}
			}
		})
	}
}

// TestFollowFetch follows a Cursor that stands between records of the same time, has fetched
// through its memo, or was positioned.
func TestFollowFetch(t *testing.T) {
	path := sameTimes(t)
	s, other := open(t, path), open(t, path)
	id := []pcp.ID{miniDesc.ID}
	for _, sec := range []int64{-5, 0, 10, 15, 99} {
		for n := range 5 {
			c := at(t, s, pcp.Forward, sec)
			var dst pcp.Result
			for range n {
				_ = c.Fetch(bg, id, nil, &dst)
			}
			d := other.Cursor()
			must(t, d.Fetch(bg, id, nil, &dst)) // the earlier fetches of d do not matter
			if !d.Follow(c) {
				t.Fatal("did not follow")
			}
			if got, want := follow(d, id...), follow(c, id...); got != want {
				t.Errorf("from %d after %d: got %s, want %s", sec, n, got, want)
			}
		}
	}
}

// TestFollowNot has Cursors that cannot be followed; the one that tries stays where it is.
func TestFollowNot(t *testing.T) {
	mine := open(t, newRaw(3).write(t))
	interp := mine.Cursor()
	must(t, interp.SetMode(pcp.Interp, nil, 1e9))
	tests := []struct {
		name  string
		other *archive.Cursor
	}{
		{"between records", interp},
		{"another archive", open(t, newRaw(3).write(t)).Cursor()},
		{"a set", open(t, setPath(t, "setA", "setB")).Cursor()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := mine.Cursor()
			if c.Follow(tt.other) {
				t.Error("followed")
			}
			if got, want := replay(c), "0 10 20 30 40 EOL EOL"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// TestFollowFromInterp makes a Cursor follow that was in the mode Interp itself.
func TestFollowFromInterp(t *testing.T) {
	s := open(t, newRaw(3).write(t))
	c, d := s.Cursor(), s.Cursor()
	var dst pcp.Result
	must(t, c.Next(bg, &dst))
	must(t, d.SetMode(pcp.Interp, nil, 1e9))
	if !d.Follow(c) {
		t.Fatal("did not follow")
	}
	if got, want := replay(d), "10 20 30 40 EOL EOL"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
