// Package remotewritetest is a database for tests: it takes remote write 1.0 and 2.0, and keeps the samples.
package remotewritetest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/snappy"
)

// A Sample is a value at a time in milliseconds since 1970.
type Sample struct {
	MS    int64
	Value float64
}

// A Database keeps samples. It is an http.Handler.
type Database struct {
	// Before is called for each request, which it may answer itself; it reports whether it has.
	Before func(w http.ResponseWriter, r *http.Request) bool
	// Knows is what the database does with a request of version 2.0.
	Knows Knowledge

	mu      sync.Mutex
	series  map[string][]Sample
	meta    map[string]string
	created map[string]int64
}

// Knowledge is what a database knows of version 2.0.
type Knowledge byte

// A database takes requests of version 2.0, refuses them, or finds nothing in them that it knows.
const (
	Version2 Knowledge = iota
	Refuses2
	Ignores2
)

// ServeHTTP takes a request.
func (d *Database) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if d.Before != nil && d.Before(w, r) {
		return
	}
	second := r.Header.Get("X-Prometheus-Remote-Write-Version") == "2.0.0"
	switch {
	case second && d.Knows == Refuses2:
		http.Error(w, "2.0 is not known", http.StatusUnsupportedMediaType)
		return
	case second && d.Knows == Ignores2:
		w.WriteHeader(http.StatusNoContent)
		return
	}
	n, err := d.take(r, second)
	if second {
		w.Header().Set("X-Prometheus-Remote-Write-Samples-Written", strconv.Itoa(n))
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (d *Database) take(r *http.Request, second bool) (taken int, err error) {
	mime, version := "application/x-protobuf", "0.1.0"
	if second {
		mime, version = mime+";proto=io.prometheus.write.v2.Request", "2.0.0"
	}
	for name, want := range map[string]string{
		"Content-Type": mime, "Content-Encoding": "snappy", "X-Prometheus-Remote-Write-Version": version,
	} {
		if got := r.Header.Get(name); got != want {
			return 0, fmt.Errorf("%s is %q, not %q", name, got, want)
		}
	}
	body, err := io.ReadAll(r.Body)
	if err == nil {
		body, err = snappy.Decode(nil, body)
	}
	if err != nil {
		return 0, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.series == nil {
		d.series, d.meta, d.created = make(map[string][]Sample), make(map[string]string), make(map[string]int64)
	}
	m := &message{d: d}
	err = fields(body, func(n int, ts []byte, _ uint64) error {
		switch {
		case n == 1 && !second:
			return m.addSeries(ts)
		case n == 3 && !second:
			return d.describe(ts)
		case n == 4 && second:
			m.symbols = append(m.symbols, string(ts))
			return nil
		case n == 5 && second:
			return m.addSeries(ts)
		}
		return fmt.Errorf("field %d of the request", n)
	})
	return m.taken, err
}

// A message is one that is being read.
type message struct {
	d       *Database
	symbols []string // of version 2.0
	taken   int
}

func (d *Database) describe(meta []byte) error {
	var f [6]string
	err := fields(meta, func(n int, text []byte, v uint64) error {
		if n == 3 || n >= len(f) {
			return fmt.Errorf("field %d of MetricMetadata", n)
		}
		if f[n] = string(text); n == 1 {
			f[n] = strconv.FormatUint(v, 10)
		}
		return nil
	})
	d.meta[f[2]] = fmt.Sprintf("%s, %q, %s", f[1], f[4], f[5])
	return err
}

// Metadata returns the type, help and unit of each metric.
func (d *Database) Metadata() map[string]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.meta)
}

// addSeries takes a TimeSeries of either version: labels are field 1 of both, texts in one and numbers in the other.
func (m *message) addSeries(ts []byte) error {
	var names, labels []string
	var list []Sample
	var starts []int64
	var created uint64
	var meta []byte
	name := ""
	err := fields(ts, func(n int, text []byte, v uint64) error {
		switch {
		case n == 1:
			pairs, err := m.labels(text)
			for i := 0; i+1 < len(pairs); i += 2 {
				names, labels = append(names, pairs[i]), append(labels, fmt.Sprintf("%s=%q", pairs[i], pairs[i+1]))
				if pairs[i] == "__name__" {
					name = pairs[i+1]
				}
			}
			return err
		case n == 2:
			s, start, err := m.sample(text)
			list, starts = append(list, s), append(starts, start)
			return err
		case n == 5 && m.symbols != nil:
			meta = text
			return nil
		case n == 6 && m.symbols != nil:
			created = v
			return nil
		}
		return fmt.Errorf("field %d of TimeSeries", n)
	})
	if err == nil && meta != nil {
		err = m.describe(name, meta)
	}
	if err != nil {
		return err
	}
	for i, s := range list {
		want := int64(created)
		if want >= s.MS {
			want = 0
		}
		if starts[i] != want {
			return fmt.Errorf("%s began at %d for receivers of 2.0-rc.4, at %d for earlier ones", name, starts[i], created)
		}
	}
	if !sort.StringsAreSorted(names) || len(list) == 0 {
		return fmt.Errorf("labels %v, %d samples", names, len(list))
	}
	key := strings.Join(labels, ",")
	m.d.series[key] = append(m.d.series[key], list...)
	if m.taken += len(list); created != 0 {
		m.d.created[key] = int64(created)
	}
	return nil
}

// sample returns a Sample, and in version 2.0 when it began.
func (m *message) sample(text []byte) (s Sample, start int64, err error) {
	err = fields(text, func(n int, _ []byte, v uint64) error {
		switch {
		case n == 1:
			s.Value = math.Float64frombits(v)
		case n == 2:
			s.MS = int64(v)
		case n == 3 && m.symbols != nil:
			start = int64(v)
		default:
			return fmt.Errorf("field %d of Sample", n)
		}
		return nil
	})
	return s, start, err
}

// labels returns names and values.
func (m *message) labels(text []byte) (list []string, err error) {
	if m.symbols == nil {
		var l [2]string
		err := fields(text, func(n int, text []byte, _ uint64) error { l[n-1] = string(text); return nil })
		return l[:], err
	}
	for len(text) > 0 {
		ref, n := binary.Uvarint(text)
		if n <= 0 || ref >= uint64(len(m.symbols)) {
			return nil, errors.New("no symbol")
		}
		list, text = append(list, m.symbols[ref]), text[n:]
	}
	return list, nil
}

// describe takes the Metadata of a series of version 2.0.
func (m *message) describe(name string, meta []byte) error {
	var f [5]uint64
	err := fields(meta, func(n int, _ []byte, v uint64) error {
		if n >= len(f) || n > 1 && v >= uint64(len(m.symbols)) {
			return fmt.Errorf("field %d of Metadata", n)
		}
		f[n] = v
		return nil
	})
	family := strings.TrimSuffix(strings.TrimSuffix(name, "_total"), "_info")
	m.d.meta[family] = fmt.Sprintf("%d, %q, %s", f[1], m.symbols[f[3]], m.symbols[f[4]])
	return err
}

// Created returns when series began, by the keys of Series. Their samples say the same, or the request is refused.
func (d *Database) Created() map[string]int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.created)
}

// Count returns the number of samples in the body of a request, as far as it can be read.
func Count(body []byte) (n int) {
	body, err := snappy.Decode(nil, body)
	if err != nil {
		return 0
	}
	_ = fields(body, func(field int, ts []byte, _ uint64) error {
		if field != 1 && field != 5 {
			return nil
		}
		return fields(ts, func(field int, _ []byte, _ uint64) error {
			if field == 2 {
				n++
			}
			return nil
		})
	})
	return n
}

func fields(b []byte, f func(n int, text []byte, v uint64) error) error {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return errors.New("no tag")
		}
		b = b[n:]
		var text []byte
		var v uint64
		switch tag & 7 {
		case 0:
			if v, n = binary.Uvarint(b); n <= 0 {
				return errors.New("no number")
			}
			b = b[n:]
		case 1:
			if len(b) < 8 {
				return errors.New("no double")
			}
			v, b = binary.LittleEndian.Uint64(b), b[8:]
		case 2:
			size, n := binary.Uvarint(b)
			if n <= 0 || size > uint64(len(b)-n) {
				return errors.New("no text")
			}
			text, b = b[n:n+int(size)], b[n+int(size):]
		default:
			return fmt.Errorf("wire type %d", tag&7)
		}
		if err := f(int(tag>>3), text, v); err != nil {
			return err
		}
	}
	return nil
}

// Series returns the samples of each series, whose key is its labels as a="x",b="y". Samples that
// came more than once are there as often as they came.
func (d *Database) Series() map[string][]Sample {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make(map[string][]Sample, len(d.series))
	for k, list := range d.series {
		out[k] = slices.Clone(list)
	}
	return out
}
