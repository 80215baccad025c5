// Package mmv writes and reads memory-mapped value files: the files in which running programs keep
// the metrics that they have about themselves, for PCP's agent mmv, or the collector of
// lib/builtin/mmv, to read.
//
// A program makes a [Registry] with [Create], and registers with it metrics of each kind:
// [Counter], [Gauge], [Text], [Timer] and [Histogram]. The values that these return are updated in place: a
// [Number] by an atomic operation on the mapped file, without a lock and without allocation.
//
// [Parse] takes a file apart into metrics, instance domains and the places of the values;
// [File.Value] reads a value, each time anew, as the program changes it. The content of a file is
// never trusted. A File is not changed after Parse, and may be shared by goroutines.
package mmv

import (
	"encoding/binary"
	"errors"

	"pmtools/lib/pcp"
)

// ErrFormat is the error of a file that is not a memory-mapped value file, or a damaged one.
var ErrFormat = errors.New("bad format")

// ErrChanging is the error of a file that is being changed now: it may be read later.
var ErrChanging = errors.New("file is being changed")

// Elapsed is the type of a metric that sums up durations, in microseconds. It is not one of package
// pcp's types. While an interval is open, readers add the time since its start; see [File.Value].
const Elapsed pcp.Type = 9

// Flags modify the meaning of a file.
type Flags uint32

// The flags.
const (
	NoPrefix Flags = 1 // names do not have the file's name in front
	Process  Flags = 2 // the file ends with the process that wrote it
	Sentinel Flags = 4 // some values stand for a missing value
)

// A File is the content of a file, apart from the values.
type File struct {
	Header
	InDoms  []InDom
	Metrics []Metric
	Values  []Value
	Labels  []Label
}

// A Header is the beginning of a file.
type Header struct {
	Version    int
	Generation uint64 // another one means that all else may be different
	Flags      Flags
	PID        int32 // of the process that wrote it
	Cluster    int32 // of the metrics' identifiers; 0 leaves it to the reader

	sections int
	order    binary.ByteOrder
}

// An InDom is an instance domain.
type InDom struct {
	Serial    uint32
	Instances []pcp.Instance
	OneLine   string
	Help      string
}

// A Metric is a metric.
type Metric struct {
	Name    string
	Item    int32
	Type    pcp.Type // or Elapsed
	Sem     pcp.Sem  // may be 0
	Units   pcp.Units
	Serial  uint32 // of the instance domain; 0 without one
	OneLine string
	Help    string
}

// A Value says where a value is.
type Value struct {
	Metric int   // its place in File.Metrics
	Inst   int32 // the instance, pcp.NullInst for a singular metric

	at int // in the file
}

// A Label is a label of a cluster, an instance domain, a metric or an instance in the file.
type Label struct {
	Kind     pcp.LabelKind // ClusterLabels, InDomLabels, ItemLabels or InstanceLabels
	Optional bool
	Ident    uint32 // cluster, serial of an instance domain, or item
	Inst     int32  // for InstanceLabels
	Text     string // a JSON object
}
