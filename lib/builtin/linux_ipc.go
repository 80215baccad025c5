package builtin

import (
	"fmt"
	"strconv"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// addIPC adds what is about shared memory, message queues and semaphores of System V.
func (l *linuxCollector) addIPC() {
	for _, name := range []string{"msgmax", "msgmnb", "msgmni", "shmmax", "shmmni", "shmall"} {
		l.numbers(name, "proc/sys/kernel/"+name)
	}
	l.numbers("kernelsem", "proc/sys/kernel/sem")
	l.table("msgpool", "/proc/sys/kernel/msgmni and msgmnb", func(t *procfsTable, _ *pmda.Request) error {
		queues, bytes := l.tables["msgmni"].only(1), l.tables["msgmnb"].only(1)
		t.cell(t.row(pcp.NullInst), []byte("kbytes")).setUint(queues * bytes / 1024)
		return nil
	}, l.tables["msgmni"], l.tables["msgmnb"])
	users := procfsUsers{root: l.root}
	passwd := l.table("passwd", "/etc/passwd", func(*procfsTable, *pmda.Request) error {
		users.load()
		return nil
	})
	for _, kind := range []struct {
		name  string
		indom uint32
		owner int // the field with the owner's number
		what  string
	}{
		{"shm", 28, 8, "Segments of shared memory"},
		{"msg", 29, 8, "Message queues"},
		{"sem", 30, 5, "Sets of semaphores"},
	} {
		file := "proc/sysvipc/" + kind.name
		t := l.table("sysv"+kind.name, "/"+file, func(t *procfsTable, _ *pmda.Request) error {
			text, err := l.root.read(file)
			if err != nil {
				return procfsMissing(err)
			}
			linuxSysV(t, l.numbering(kind.name), text, kind.owner)
			return nil
		})
		t.slot("uid")
		l.table("sysv"+kind.name+"owner", "/"+file+" and /etc/passwd", func(o *procfsTable, _ *pmda.Request) error {
			for i := range t.rows {
				if uid := t.cell(&t.rows[i], []byte("uid")); uid.kind == procfsNumber {
					r := o.row(t.rows[i].inst)
					o.cell(r, []byte("owner")).setString(users.name(false, uid.num))
				}
			}
			return nil
		}, t, passwd)
		l.indoms[strconv.Itoa(int(kind.indom))] = procfsInDom(kind.indom, t, kind.what)
		l.count("sysv"+kind.name+"count", "objects in /"+file, t)
	}
}

// only returns a numbered field of the only row of a table, 0 if it has none.
func (t *procfsTable) only(n int) uint64 {
	if len(t.rows) == 1 {
		if c := t.field(&t.rows[0], n); c != nil && c.kind == procfsNumber {
			return c.num
		}
	}
	return 0
}

// Flags in the permissions of a segment of shared memory.
const (
	linuxShmDest   = 0o1000
	linuxShmLocked = 0o2000
	linuxModeBits  = 0o777
)

// linuxSysV reads a file of /proc/sysvipc, in which a line begins with the key, the
// number and the permissions of an object:
//
//	       key      shmid perms                  size  cpid  lpid nattch   uid   gid
//	1627390053          7   640                  1024  1003  1004      0     0     0
//
// The permissions stay the octal digits that they are shown with.
func linuxSysV(t *procfsTable, ids *procfsIDs, text []byte, owner int) {
	_, text = procfsLine(text)
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		key, rest := procfsWord(line)
		id, rest := procfsWord(rest)
		perms, rest := procfsWord(rest)
		if _, ok := procfsUint(id); !ok {
			continue
		}
		r := t.named(ids, id)
		k, _ := procfsUint(key)
		t.cell(r, []byte("key")).setString(fmt.Sprintf("0x%08x", uint32(k)))
		mode, _ := strconv.ParseUint(string(perms), 8, 32)
		octal, _ := strconv.ParseUint(strconv.FormatUint(mode&linuxModeBits, 8), 10, 32)
		t.cell(r, []byte("perms")).setUint(octal)
		t.cell(r, []byte("status")).setString(linuxShmStatus(mode))
		t.setFields(r, 4, rest)
		var word []byte
		for range owner - 3 {
			word, rest = procfsWord(rest)
		}
		t.cell(r, []byte("uid")).setWord(word)
	}
	t.sort()
}

// linuxShmStatus says what the flags of a segment are.
func linuxShmStatus(mode uint64) string {
	switch {
	case mode&(linuxShmDest|linuxShmLocked) == linuxShmDest|linuxShmLocked:
		return "dest locked"
	case mode&linuxShmDest != 0:
		return "dest"
	case mode&linuxShmLocked != 0:
		return "locked"
	}
	return ""
}
