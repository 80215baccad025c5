package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// All tables of a Store have times of one resolution: nanoseconds, or microseconds for engines that have no others. These
// have no unsigned integers of 64 bits either, so that such columns are decimals of 20 digits then. The table of records,
// which only exports read, has nanoseconds in each case.

// The versions of tables and manifests rise when readers of earlier ones would misunderstand them, or queries need columns
// that earlier ones do not have.
const (
	versionNanos  = 2
	versionMicros = 3
)

func versionOf(micros bool) int {
	if micros {
		return versionMicros
	}
	return versionNanos
}

// tick is the length of a unit of time in the tables, in nanoseconds.
func tick(micros bool) int64 {
	if micros {
		return 1000
	}
	return 1
}

func resolution(micros bool) string {
	if micros {
		return "microseconds (--us)"
	}
	return "nanoseconds (without --us)"
}

// A headManifest says which resolution the tables of a Store have.
type headManifest struct {
	Version int `json:"version"`
}

var headPath = path.Join(manifestDir, manifestFile)

// resolve makes a manifest one of the resolution that the export has, or returns an error if the tables have another one.
func (r *reader) resolve(ctx context.Context, m *manifest) error {
	if len(m.Exports) > 0 {
		return r.sameResolution(m.store, m.micros())
	}
	m.Version = versionOf(r.cfg.Micros)
	micros, _, err := resolutionOf(ctx, m.store, r.cfg.Micros)
	if err != nil {
		return err
	}
	return r.sameResolution(m.store, micros)
}

func (r *reader) sameResolution(in Store, micros bool) error {
	if micros == r.cfg.Micros {
		return nil
	}
	do := "add --us"
	if r.cfg.Micros {
		do = "leave out --us"
	}
	return fmt.Errorf("%s: the times of its tables are %s, those of this export %s: %s, or export into another directory",
		in.Name(""), resolution(micros), resolution(r.cfg.Micros), do)
}

// claim makes the resolution of the export that of all tables, if there are none of another host.
func (r *reader) claim(ctx context.Context, m *manifest) error {
	if len(m.Exports) > 1 {
		return nil
	}
	if micros, _, err := readHead(ctx, m.store, headPath); err == nil && micros == r.cfg.Micros {
		return nil
	}
	unlock, err := m.store.Lock(ctx, manifestDir)
	if err != nil {
		return err
	}
	micros, version, err := resolutionOf(ctx, m.store, r.cfg.Micros)
	if err == nil {
		err = r.sameResolution(m.store, micros)
	}
	if err == nil {
		err = m.store.Replace(ctx, headPath, fmt.Appendf(nil, "{\"version\": %d}\n", m.Version), version)
	}
	return errors.Join(err, unlock())
}

// resolutionOf returns the resolution of the tables of a Store, or the one that is wanted if there are none, and the version
// of the file that says it.
func resolutionOf(ctx context.Context, in Store, want bool) (micros bool, version string, err error) {
	micros, version, err = readHead(ctx, in, headPath)
	if err == nil && micros == want {
		return micros, version, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, "", err
	}
	names, err := in.List(ctx, manifestDir) // there may be no tables, or those from before that file was written
	for _, name := range names {
		if !isHost(name) {
			continue
		}
		switch micros, _, err := readHead(ctx, in, path.Join(manifestDir, name, manifestFile)); {
		case err == nil:
			return micros, version, nil
		case !errors.Is(err, fs.ErrNotExist):
			return false, "", err
		}
	}
	return want, version, err
}

// readHead reads the version of a manifest.
func readHead(ctx context.Context, in Store, file string) (micros bool, version string, err error) {
	text, version, err := in.Read(ctx, file, maxManifest)
	if err != nil {
		return false, "", err
	}
	var head headManifest
	if err := json.Unmarshal(text, &head); err != nil {
		return false, "", fmt.Errorf("%s: the manifest is damaged: %w; restore it from a copy", in.Name(file), err)
	}
	return head.Version == versionMicros, version, checkVersion(in.Name(file), head.Version)
}

// checkVersion returns an error if the version of a manifest is not one of those that this package writes.
func checkVersion(name string, version int) error {
	switch {
	case version > versionMicros:
		return fmt.Errorf("%s: the manifest has version %d, this pmderive knows versions up to %d: update it, or export into another directory", name, version, versionMicros)
	case version < versionNanos:
		return fmt.Errorf("%s: the tables of the host have version %d, without columns that this pmderive writes (record, position, units): "+
			"export into another directory, or remove the files of the host and %s first", name, version, path.Dir(name))
	}
	return nil
}

// A conversion says what columns become in tables of microseconds.
type conversion uint8

const (
	asItIs conversion = iota
	toMicros
	toDecimal
)

func conversionOf(f parquet.Field) conversion {
	logical := f.Type().LogicalType()
	if logical == nil {
		return asItIs
	}
	switch t := logical.Value.(type) {
	case *format.TimestampType:
		return toMicros
	case *format.IntType:
		if t.BitWidth == 64 && !t.IsSigned {
			return toDecimal
		}
	}
	return asItIs
}

// decimalBytes is the length of a decimal of 20 digits.
const decimalBytes = 9

func microTimes() parquet.Node {
	return parquet.Encoded(parquet.Timestamp(parquet.Microsecond), &parquet.DeltaBinaryPacked)
}

func decimal() parquet.Node {
	return parquet.Decimal(0, 20, parquet.FixedLenByteArrayType(decimalBytes))
}

// node returns the column that f becomes.
func (c conversion) node(f parquet.Field) parquet.Node {
	n := parquet.Node(f)
	switch c {
	case toMicros:
		n = microTimes()
	case toDecimal:
		n = decimal()
	}
	if f.Optional() && c != asItIs {
		n = parquet.Optional(n)
	}
	return n
}

// value converts a value. buf has room for a decimal.
func (c conversion) value(v parquet.Value, buf *[decimalBytes]byte) parquet.Value {
	switch {
	case v.IsNull():
		return v
	case c == toMicros:
		return parquet.Int64Value(floor(v.Int64(), 1000)).Level(v.RepetitionLevel(), v.DefinitionLevel(), v.Column())
	case c == toDecimal:
		return decimalValue(v.Uint64(), buf).Level(v.RepetitionLevel(), v.DefinitionLevel(), v.Column())
	}
	return v
}

func decimalValue(n uint64, buf *[decimalBytes]byte) parquet.Value {
	for i := decimalBytes - 1; i > 0; i-- {
		buf[i], n = byte(n), n>>8
	}
	return parquet.FixedLenByteArrayValue(buf[:])
}

// conversions returns those of the columns of rows in the place.
func (p place) conversions(row any) []conversion {
	if _, own := row.(recordRow); own || !p.micros {
		return nil
	}
	var list []conversion
	for _, f := range parquet.SchemaOf(row).Fields() {
		list = append(list, conversionOf(f))
	}
	return list
}
