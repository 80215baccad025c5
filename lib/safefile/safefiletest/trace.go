// Package safefiletest tests programs that write files by package safefile: it makes the directories that a power failure may
// leave, and makes each file operation fail.
package safefiletest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"pmtools/lib/safefile"
)

// A Trace is the operations below a directory, in their order, and the marks between them.
type Trace struct {
	root string
	base map[string]*inode // the files and directories that were there before
	list []event

	mu    sync.Mutex
	names map[string]*inode // as the process sees them
	open  map[*safefile.File]*inode
}

// An inode is a file, or a directory. Its content is on the disk from the beginning.
type inode struct {
	dir     bool
	content []byte
}

// An event changes names, or the content of a file, or makes such changes last; or it is a mark.
type event struct {
	text    string   // for people
	effects []effect // of names, in a directory each, which come to the disk at once
	file    *inode   // whose content changes, or lasts
	at      int64    // -1 for the end of the file, or its new size
	data    []byte   // nil for a new size
	sync    bool     // of file, or of the directory dir
	dir     string
	mark    bool
}

// An effect is a name that gets a file, or none.
type effect struct {
	name string
	file *inode
}

// Record traces the file operations of work below a directory. The function mark adds a mark, which check gets for all later images.
func Record(root string, work func(mark func(text string))) (*Trace, error) {
	tr := &Trace{root: root, base: make(map[string]*inode), names: make(map[string]*inode), open: make(map[*safefile.File]*inode)}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		file := &inode{dir: d.IsDir()}
		if !file.dir {
			file.content, err = os.ReadFile(path)
		}
		name, _ := tr.below(path)
		tr.base[name], tr.names[name] = file, file
		return err
	})
	if err != nil {
		return nil, err
	}
	defer safefile.Observe(func(op *safefile.Op) error {
		tr.mu.Lock()
		defer tr.mu.Unlock()
		tr.note(op)
		return nil
	})()
	work(func(text string) {
		tr.mu.Lock()
		defer tr.mu.Unlock()
		tr.list = append(tr.list, event{text: text, mark: true})
	})
	return tr, nil
}

// below returns a path below the root. It is not true of others.
func (tr *Trace) below(path string) (string, bool) {
	name, err := filepath.Rel(tr.root, path)
	return filepath.ToSlash(name), err == nil && filepath.IsLocal(name)
}

// note adds an operation, unless it fails: its names are not there, or are already.
func (tr *Trace) note(op *safefile.Op) {
	name, ok := tr.below(op.Name)
	if !ok {
		return
	}
	to, _ := tr.below(op.To)
	old := tr.names[name]
	e := event{text: strings.TrimSpace(fmt.Sprintln(op.Kind, name))}
	switch op.Kind {
	case safefile.OpOpen:
		tr.noteOpen(op, name)
		return
	case safefile.OpWrite:
		e.file, e.at, e.data = tr.open[op.File], op.At, append([]byte{}, op.Data...)
		e.text += fmt.Sprintf(" %d bytes at %d", len(op.Data), op.At)
	case safefile.OpTruncate:
		e.file, e.at = tr.open[op.File], op.At
	case safefile.OpSync:
		e.file = tr.open[op.File]
		e.sync = e.file != nil
	case safefile.OpSyncDir:
		e.dir, e.sync = name, true
	case safefile.OpMkdir:
		if old == nil {
			e.effects = []effect{{name, &inode{dir: true}}}
		}
	case safefile.OpRename:
		if old != nil {
			e.text, e.effects = e.text+" to "+to, []effect{{name, nil}, {to, old}}
		}
	case safefile.OpLink:
		if old != nil && tr.names[to] == nil {
			e.text, e.effects = e.text+" to "+to, []effect{{to, old}}
		}
	case safefile.OpExchange:
		e.text, e.effects = e.text+" and "+to, tr.exchanged(name, to)
	case safefile.OpRemove:
		if old != nil && !tr.hasEntries(name) {
			e.effects = []effect{{name, nil}}
		}
	}
	tr.add(e)
}

// exchanged returns the effects of an exchange of two directories; the first effect concerns one of their own names.
func (tr *Trace) exchanged(a, b string) []effect {
	effects := []effect{{a, tr.names[b]}, {b, tr.names[a]}}
	for name, file := range tr.names {
		for _, pair := range [][2]string{{a, b}, {b, a}} {
			if rest, ok := strings.CutPrefix(name, pair[0]+"/"); ok {
				other := pair[1] + "/" + rest
				effects = append(effects, effect{other, file}, effect{name, tr.names[other]})
			}
		}
	}
	return effects
}

func (tr *Trace) noteOpen(op *safefile.Op, name string) {
	flag, file := int(op.At), tr.names[name]
	if file == nil && flag&os.O_CREATE != 0 {
		file = new(inode)
		tr.add(event{text: "create " + name, effects: []effect{{name, file}}})
	} else if file != nil && flag&os.O_TRUNC != 0 {
		tr.add(event{text: "truncate " + name, file: file})
	}
	tr.open[op.File] = file
}

func (tr *Trace) hasEntries(dir string) bool {
	for name := range tr.names {
		if strings.HasPrefix(name, dir+"/") {
			return true
		}
	}
	return false
}

func (tr *Trace) add(e event) {
	if e.effects == nil && e.file == nil && !e.sync {
		return
	}
	tr.list = append(tr.list, e)
	for _, x := range e.effects {
		if delete(tr.names, x.name); x.file != nil {
			tr.names[x.name] = x.file
		}
	}
}
