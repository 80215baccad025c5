package agent

import (
	"cmp"
	"slices"

	"pmtools/lib/pmerr"
	"pmtools/lib/trace/internal/tracepdu"
)

const maxTags = 1 << 16

// tags are the tags of one kind of report.
type tags struct {
	byName map[string]*tag
	sorted []*tag           // tags by number
	ids    map[string]int32 // numbers of all tags, cleared ones too
	last   int32            // the number that was given last; the first is 1
}

type tag struct {
	id     int32
	name   string
	count  uint64
	total  float64  // the sum of all values
	value  float64  // the last
	recent []bucket // buckets with a report, the oldest first, at most one more than Options.Buckets
}

// A bucket holds the reports of one part of the period.
type bucket struct {
	slot  int64 // number of the instance
	count uint64
	sum   float64
	min   float64
	max   float64
}

type row struct {
	count uint64
	total float64
	value float64
	past  bucket // the buckets of the period in one, without the current one
}

// add adds a report in the bucket now. Buckets before oldest are forgotten.
func (s *tags) add(d *tracepdu.Data, now, oldest int64) error {
	t := s.byName[d.Tag]
	if t == nil {
		if len(s.byName) >= maxTags {
			return pmerr.Code(-12) // ENOMEM
		}
		t = s.insert(d.Tag)
	}
	t.count++
	t.total += d.Value
	t.value = d.Value
	if n := len(t.recent); n == 0 || t.recent[n-1].slot != now {
		t.forget(oldest)
		t.recent = append(t.recent, bucket{slot: now})
	}
	t.recent[len(t.recent)-1].merge(&bucket{count: 1, sum: d.Value, min: d.Value, max: d.Value})
	return nil
}

// insert adds a tag. A cleared tag gets its old number again.
func (s *tags) insert(name string) *tag {
	if s.byName == nil {
		s.byName = map[string]*tag{}
	}
	if s.ids == nil {
		s.ids = map[string]int32{}
	}
	id, known := s.ids[name]
	if !known {
		s.last++
		id = s.last
		s.ids[name] = id
	}
	t := &tag{id: id, name: name}
	s.byName[name] = t
	i, _ := slices.BinarySearchFunc(s.sorted, id, func(t *tag, id int32) int { return cmp.Compare(t.id, id) })
	s.sorted = slices.Insert(s.sorted, i, t)
	return t
}

// reset forgets all tags, and their numbers too if these have become many.
func (s *tags) reset() {
	s.byName, s.sorted = nil, nil
	if len(s.ids) >= maxTags {
		s.ids = nil
	}
}

func (t *tag) forget(oldest int64) {
	i := 0
	for i < len(t.recent) && t.recent[i].slot < oldest {
		i++
	}
	t.recent = slices.Delete(t.recent, 0, i)
}

func (t *tag) row(now, oldest int64) row {
	t.forget(oldest)
	r := row{count: t.count, total: t.total, value: t.value}
	for i := range t.recent {
		if b := &t.recent[i]; b.slot < now {
			r.past.merge(b)
		}
	}
	return r
}

func (b *bucket) merge(o *bucket) {
	if b.count == 0 {
		b.min, b.max = o.min, o.max
	}
	b.count += o.count
	b.sum += o.sum
	// Not the functions min and max: a NaN is passed over once there is a number.
	if o.min < b.min {
		b.min = o.min
	}
	if o.max > b.max {
		b.max = o.max
	}
}
