// Package remotewritetest is a database for tests: it takes remote write 1.0 and keeps the samples.
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

	mu     sync.Mutex
	series map[string][]Sample
	meta   map[string]string
}

// ServeHTTP takes a request.
func (d *Database) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if d.Before != nil && d.Before(w, r) {
		return
	}
	if err := d.take(r); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (d *Database) take(r *http.Request) error {
	for name, want := range map[string]string{
		"Content-Type": "application/x-protobuf", "Content-Encoding": "snappy", "X-Prometheus-Remote-Write-Version": "0.1.0",
	} {
		if got := r.Header.Get(name); got != want {
			return fmt.Errorf("%s is %q, not %q", name, got, want)
		}
	}
	body, err := io.ReadAll(r.Body)
	if err == nil {
		body, err = snappy.Decode(nil, body)
	}
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.series == nil {
		d.series, d.meta = make(map[string][]Sample), make(map[string]string)
	}
	return fields(body, func(n int, ts []byte, _ uint64) error {
		switch n {
		case 1:
			return d.addSeries(ts)
		case 3:
			return d.describe(ts)
		}
		return fmt.Errorf("field %d of WriteRequest", n)
	})
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

func (d *Database) addSeries(ts []byte) error {
	var names, labels []string
	var list []Sample
	err := fields(ts, func(n int, text []byte, _ uint64) error {
		switch n {
		case 1:
			var l [2]string
			err := fields(text, func(n int, text []byte, _ uint64) error { l[n-1] = string(text); return nil })
			names, labels = append(names, l[0]), append(labels, fmt.Sprintf("%s=%q", l[0], l[1]))
			return err
		case 2:
			var s Sample
			err := fields(text, func(n int, _ []byte, v uint64) error {
				if n == 1 {
					s.Value = math.Float64frombits(v)
				} else {
					s.MS = int64(v)
				}
				return nil
			})
			list = append(list, s)
			return err
		}
		return fmt.Errorf("field %d of TimeSeries", n)
	})
	if err != nil {
		return err
	}
	if !sort.StringsAreSorted(names) || len(list) == 0 {
		return fmt.Errorf("labels %v, %d samples", names, len(list))
	}
	key := strings.Join(labels, ",")
	d.series[key] = append(d.series[key], list...)
	return nil
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
