package archive

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"testing"

	"pmtools/lib/pcp"
)

// TestHistory compares lifetimes with their definition, over random observations: complete ones,
// some with an instance twice, and changes, in turn.
func TestHistory(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var records [][]byte
		want, names := make(map[int32]lifetime), make(map[int32]string)
		for i := range 1 + random.IntN(12) {
			at, before := int64(10*i), maps.Clone(names)
			var added []pcp.Instance
			var gone []int32
			isDelta := i > 0 && random.IntN(2) == 0
			if !isDelta {
				clear(names)
			}
			for id := range int32(20) {
				_, there := before[id]
				switch name := fmt.Sprint(id, " of ", i); {
				case random.IntN(3) > 0:
				case isDelta && there:
					gone = append(gone, id)
					delete(names, id)
				default:
					added = append(added, in(id, name))
					names[id] = name
					if !isDelta && random.IntN(9) == 0 { // the last of the two counts
						added = append(added, in(id, name+" again"))
						names[id] += " again"
					}
				}
			}
			if len(added)+len(gone) == 0 { // such an observation is ignored
				names = before
				continue
			}
			if isDelta {
				records = append(records, delta(at, gone, added...))
			} else {
				records = append(records, full(at, added...))
			}
			define(want, before, names, len(records)-1, sec(at))
		}
		for id, name := range names {
			l := want[id]
			l.name, l.last = name, len(records)-1
			want[id] = l
		}
		if len(records) == 0 {
			continue
		}
		dom := loaded(t, records...).indoms[elevenDom]
		if dom.replay(); !reflect.DeepEqual(dom.lives, want) {
			t.Fatalf("got  %v\nwant %v", dom.lives, want)
		}
	}
}

// define notes the changes of observation i in lives.
func define(lives map[int32]lifetime, before, now map[int32]string, i int, at pcp.Timestamp) {
	for id, name := range before {
		if _, there := now[id]; !there {
			lives[id] = lifetime{name: name, last: i - 1, birth: lives[id].birth, death: at, dies: true}
		}
	}
	for id := range now {
		l, known := lives[id]
		if !known {
			l.birth = at
		}
		l.dies, l.death = false, pcp.Timestamp{}
		lives[id] = l
	}
}
