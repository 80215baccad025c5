// Package archive reads recorded metrics.
//
// [Open] gives a [Set]: one archive, or several of the same host that follow each other in time. A
// Set holds the metadata: names, descriptors, instance domains, labels and help texts. Values are
// read through a [Cursor], a position in the Set with a direction.
//
// The layout of the files is that of Performance Co-Pilot's archives, versions 2 and 3; references
// such as "archive.md A8.3" are to its specification.
package archive

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime/debug"
	"strings"

	"pmtools/lib/archive/internal/content"
	"pmtools/lib/pmerr"
)

// Open opens the archive called name: a base name, the name of one of its files, a directory of
// archives, or a list of these separated by commas. Members of a list that cannot be read are
// skipped with a warning if there are others. When ctx is done, its error is returned.
func Open(ctx context.Context, name string, opt *Options) (*Set, error) {
	s := newSet(opt)
	list := newLister(&s.opt)
	names, err := list.expandNames(name)
	if err != nil {
		return nil, err
	}
	alone := len(names) == 1 && !strings.Contains(strings.TrimSuffix(name, ","), ",")
	opened := make(map[string]bool)
	for _, n := range names {
		if opened[n] {
			continue
		}
		before := len(s.members)
		err := s.openMember(ctx, n, list)
		if err == nil {
			opened[n] = true
			continue
		}
		if alone || len(s.members) > before || !skippable(err) {
			s.Close()
			return nil, err
		}
		s.warn(fmt.Sprintf("Warning: initarchive: skipping corrupt/unreadable archive \"%s\": %v", n, pmerr.Of(err)))
	}
	if len(s.members) == 0 {
		s.warn("Error: initarchive: all archives are corrupt/unreadable")
		return nil, &Error{File: name, Offset: -1, Err: pmerr.LogFile}
	}
	return s, nil
}

// Errors of a system or process without memory, descriptors or disk space, which do not mean a damaged file.
const (
	enomem pmerr.Code = -12
	enfile pmerr.Code = -23
	emfile pmerr.Code = -24
	enospc pmerr.Code = -28
)

// skippable reports whether a set skips a member that failed to open with err (archive.md A3.4).
func skippable(err error) bool {
	switch c := pmerr.Of(err); c {
	case pmerr.Label, pmerr.LogRec, pmerr.LogFile, pmerr.NoData, pmerr.RecType, pmerr.Feature:
		return true
	case enomem, enfile, emfile, enospc:
		return false
	default:
		return c < 0 && c > pmerr.Generic
	}
}

// openMember adds an archive to the set. It checks the files in the order of the reference (archive.md A2).
func (s *Set) openMember(ctx context.Context, name string, list *lister) (err error) {
	defer content.Unguard(debug.SetPanicOnFault(true), &err)
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := list.findFiles(name)
	if err != nil {
		return err
	}
	m := &member{name: name, warn: s.warn}
	joined := false
	defer func() {
		if !joined { // a fault in the mapping comes here too
			m.close()
		}
	}()
	for _, v := range f.volumes {
		m.volumes = append(m.volumes, &volume{number: v.number, path: v.path, opt: s.opt.content(), opened: s.opt.Observer.File})
	}
	meta, err := s.loadMember(ctx, m, f)
	if err != nil {
		return err
	}
	if err := s.merge(meta); err != nil {
		return err
	}
	err = s.join(m)
	joined = err == nil // from then on the set closes the member
	return err
}

func (s *Set) loadMember(ctx context.Context, m *member, f *files) (*metadata, error) {
	first := m.volumes[0]
	if _, err := first.open(ctx); err != nil {
		return nil, err
	}
	m.label = first.label
	size := labelSize(m.label.Version)
	if first.labelOnly {
		return nil, &Error{File: first.path, Offset: size, Err: pmerr.NoData}
	}
	if f.index != "" {
		index, l, err := m.load(ctx, f.index, indexVolume, &s.opt)
		if err != nil {
			return nil, err
		}
		if l.PID != m.label.PID || l.Host != m.label.Host {
			return nil, &Error{File: f.index, Err: pmerr.Label}
		}
		m.index = decodeIndex(index, m.label.Version)
		m.unload()
	}
	src, l, err := m.load(ctx, f.meta, metaVolume, &s.opt)
	if err != nil {
		return nil, err
	}
	if len(s.members) > 0 && s.members[0].label.Host != m.label.Host {
		return nil, &Error{File: f.base, Offset: -1, Err: pmerr.LogHost}
	}
	meta, off, err := decodeMeta(ctx, src, m.release)
	if err != nil {
		return nil, &Error{File: f.meta, Offset: size + int64(off), Err: err}
	}
	if read := s.opt.Observer.Metadata; read != nil {
		read(f.base, Counts{len(meta.descs), len(meta.indoms), len(meta.labels), len(meta.texts)})
	}
	if len(meta.descs) == 0 {
		return nil, &Error{File: f.meta, Offset: -1, Err: pmerr.NoData}
	}
	if l.PID != m.label.PID || l.Host != m.label.Host {
		return nil, &Error{File: f.meta, Err: pmerr.Label}
	}
	return meta, nil
}

// load reads the index or the metadata: a label with the volume number and version of the archive, and the
// rest, which must not be empty. It unpacks only the usable part of a compressed file.
func (m *member) load(ctx context.Context, path string, vol int32, opt *Options) ([]byte, Label, error) {
	var l Label
	c, err := content.Open(ctx, path, opt.content())
	if err != nil {
		return nil, l, &Error{File: path, Offset: -1, Err: err}
	}
	m.loaded = append(m.loaded, c)
	defer c.Settle()
	size := labelSize(m.label.Version)
	data, err := c.View(ctx, size) // the view of a plain file is the whole file
	if err == nil {
		err = l.decode(data)
	}
	if err == nil && (l.Volume != vol || l.Version != m.label.Version) {
		err = pmerr.Label
	}
	if err == nil && c.Packed() {
		end := size + maxIndex*int64(entrySize(l.Version))
		if vol == metaVolume {
			end = metaEnd(ctx, c, size)
		}
		data, err = c.View(ctx, end)
	}
	if err == nil && int64(len(data)) <= size {
		err = pmerr.NoData
	}
	if err != nil {
		return nil, l, &Error{File: path, Err: err}
	}
	if opened := opt.Observer.File; opened != nil {
		opened(path, &l)
	}
	return data[size:], l, nil
}

// metaEnd returns the length of the usable metadata: up to the first record whose lengths disagree.
func metaEnd(ctx context.Context, c *content.File, off int64) int64 {
	for {
		data, err := c.View(ctx, off+8)
		if err != nil || int64(len(data)) < off+8 {
			return content.Everything
		}
		size := int64(int32(binary.BigEndian.Uint32(data[off:])))
		if size < 12 {
			return off + 8
		}
		if data, err = c.View(ctx, off+size); err != nil || int64(len(data)) < off+size {
			return content.Everything
		}
		if off += size; int64(int32(binary.BigEndian.Uint32(data[off-4:]))) != size {
			return off
		}
	}
}
