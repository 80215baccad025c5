package linux

import (
	"cmp"
	"fmt"
	"strconv"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

func (l *collector) addIPC() {
	for _, name := range []string{"msgmax", "msgmnb", "msgmni", "shmmax", "shmmni", "shmall"} {
		l.limits(name, name)
	}
	l.limits("kernelsem", "sem")
	l.Fill("msgpool", "/proc/sys/kernel/msgmni and msgmnb", func(t *procfs.Table) {
		queues, bytes := only(l.Tables["msgmni"]), only(l.Tables["msgmnb"])
		t.Cell(t.Row(pcp.NullInst), []byte("kbytes")).SetUint(queues * bytes / 1024)
	}, l.Tables["msgmni"], l.Tables["msgmnb"])
	users := procfs.Users{Root: l.System}
	passwd := l.Table("passwd", "/etc/passwd", func(*procfs.Table, *pmda.Request) error {
		users.Load()
		return nil
	})
	for _, kind := range []struct {
		name  string
		owner int // the field with the owner's number
	}{{"shm", 8}, {"msg", 8}, {"sem", 5}} {
		file := "proc/sysvipc/" + kind.name
		read := func(root *procfs.Root) func(t *procfs.Table, _ *pmda.Request) error {
			return func(t *procfs.Table, _ *pmda.Request) error {
				text, err := root.Read(file)
				parseSysV(t, l.Numbering(kind.name), text, kind.owner)
				for i := range t.Rows { // sizes are rounded up to pages
					if size := t.Field(&t.Rows[i], 4); size != nil && size.Kind == procfs.Number {
						t.Cell(&t.Rows[i], []byte("total")).SetUint((size.Num + l.PageSize - 1) / l.PageSize * l.PageSize)
					}
				}
				return procfs.Missing(err)
			}
		}
		t := l.Table("sysv"+kind.name, "/"+file, read(l.Root))
		// Totals come from this system, even if other files are recorded.
		all := "all" + kind.name
		if l.Tables[all], l.Files[all] = t, "/"+file; l.Recorded() {
			l.Table(all, "/"+file, read(l.System))
		}
		t.Slot("uid")
		l.Each("sysv"+kind.name+"owner", "/"+file+" and /etc/passwd", t, func(o *procfs.Table, object *procfs.Row) {
			if uid := t.Cell(object, []byte("uid")); uid.Kind == procfs.Number {
				o.Cell(o.Row(object.Inst), []byte("owner")).SetString(cmp.Or(users.Name(false, uint64(uint32(uid.Num))), strconv.FormatUint(uint64(uint32(uid.Num)), 10)))
			}
		}, passwd)
		l.Count("sysv"+kind.name+"count", "objects in /"+file, l.Tables[all])
	}
}

// limits adds a table for limits of this system. Recorded files do not count: the reference asks the
// system itself.
func (l *collector) limits(name, file string) {
	file = "proc/sys/kernel/" + file
	l.Table(name, "/"+file, func(t *procfs.Table, _ *pmda.Request) error {
		text, err := l.System.Read(file)
		procfs.Fields(t, t.Row(pcp.NullInst), text)
		return procfs.Missing(err)
	})
}

// only returns the first field of the only row of a table, 0 without a number.
func only(t *procfs.Table) uint64 {
	if len(t.Rows) == 1 {
		if c := t.Field(&t.Rows[0], 1); c != nil && c.Kind == procfs.Number {
			return c.Num
		}
	}
	return 0
}

const (
	shmDest   = 0o1000
	shmLocked = 0o2000
	modeBits  = 0o777
)

// parseSysV reads a file of /proc/sysvipc, in which a line begins with the key, the number and the
// permissions of an object:
//
//	       key      shmid perms                  size  cpid  lpid nattch   uid   gid
//	1627390053          7   640                  1024  1003  1004      0     0     0
//
// The permissions stay the octal digits that they are shown with.
func parseSysV(t *procfs.Table, ids *procfs.IDs, text []byte, owner int) {
	for line := range procfs.Lines(procfs.After(text, 1)) {
		key, rest := procfs.Word(line)
		id, rest := procfs.Word(rest)
		perms, rest := procfs.Word(rest)
		if _, ok := procfs.Uint(id); !ok {
			continue
		}
		r := t.Named(ids, id)
		k, _ := procfs.Uint(key)
		t.Cell(r, []byte("key")).SetString(fmt.Sprintf("0x%08x", uint32(k)))
		mode, _ := strconv.ParseUint(string(perms), 8, 32)
		octal, _ := strconv.ParseUint(strconv.FormatUint(mode&modeBits, 8), 10, 32)
		t.Cell(r, []byte("perms")).SetUint(octal)
		t.Cell(r, []byte("status")).SetString(shmStatus(mode))
		t.SetFields(r, 4, rest)
		t.Cell(r, []byte("uid")).SetWord(procfs.Skip(rest, owner-4))
	}
}

func shmStatus(mode uint64) string {
	switch {
	case mode&(shmDest|shmLocked) == shmDest|shmLocked:
		return "dest locked"
	case mode&shmDest != 0:
		return "dest"
	case mode&shmLocked != 0:
		return "locked"
	}
	return ""
}
