package proc

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"time"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// The metrics acct are about processes that have ended: the kernel's process accounting writes a
// record of each into a file, if the superuser has switched it on (acct(5)). Those of the last
// minute are instances. The collector does not switch it on itself.

// acctFiles are the places of the records; the first file that exists counts.
var acctFiles = [...]string{"var/account/pacct", "var/log/account/pacct"}

// Layout of a record of version 3: 64 bytes in the byte order of the machine.
const (
	acctRecord  = 64
	acctVersion = 3
	acctName    = 48      // offset of the program's name
	acctTail    = 1 << 20 // number of bytes at the end of the file that are read
	acctHertz   = 100     // the unit of its times, on every machine
)

func (p *collector) addAcct() {
	p.Table("acct", "/var/account/pacct", func(t *procfs.Table, req *pmda.Request) error {
		if c := req.Client; c != nil && !p.open && c.Attrs[pmda.UserID] == "" {
			return pmerr.Permission
		}
		users := procfs.Users{Root: p.System}
		users.Load()
		since := p.hot.now().Add(-time.Duration(p.lifetime) * time.Second)
		text, _ := p.accounts() // without accounting there are no records
		parseAcct(t, text, since, &users)
		return nil
	})
	p.Fill("acctcontrol", "the collector's settings", func(t *procfs.Table) {
		r := t.Row(pcp.NullInst)
		for key, n := range map[string]uint64{"retry": 60, "check": 600, "threshold": 10 << 20, "lifetime": p.lifetime, "refresh": 600, "zero": 0} {
			t.Cell(r, []byte(key)).SetUint(n)
		}
		_, err := p.accounts()
		t.Cell(r, []byte("state")).SetBool(err == nil)
	})
}

func (p *collector) accounts() (text []byte, err error) {
	for _, file := range acctFiles {
		if text, err = p.System.Tail(file, acctTail); err == nil {
			break
		}
	}
	return text, err
}

// parseAcct reads the records since a time. The last record of a process number counts.
func parseAcct(t *procfs.Table, text []byte, since time.Time, users *procfs.Users) {
	order := binary.NativeEndian
	// Where numbers are in a record. Those of counts have 13 bits, shifted left by three times the
	// upper three bits.
	words := map[string]int{"exitcode": 4, "uid": 8, "gid": 12, "pid": 16, "ppid": 20, "btime": 24}
	counts := map[string]int{"utime": 32, "stime": 34, "mem": 36, "io": 38, "rw": 40, "minflt": 42, "majflt": 44, "swaps": 46}
	flags := map[string]byte{"fork": 1, "su": 2, "core": 8, "xsig": 16}
	for text = text[len(text)%acctRecord:]; len(text) > 0; text = text[acctRecord:] {
		rec := text[:acctRecord]
		ticks := float64(math.Float32frombits(order.Uint32(rec[28:])))
		pid, btime := order.Uint32(rec[words["pid"]:]), order.Uint32(rec[words["btime"]:])
		if rec[1]&0x0f != acctVersion || pid > math.MaxInt32 || !(ticks >= 0 && ticks < math.MaxInt32) ||
			float64(btime)+ticks/acctHertz < float64(since.Unix()) {
			continue
		}
		r := t.At(int32(pid))
		name, _, _ := bytes.Cut(rec[acctName:], []byte{0})
		r.Name = string(name)
		for key, at := range words {
			t.Cell(r, []byte(key)).SetUint(uint64(order.Uint32(rec[at:])))
		}
		for key, at := range counts {
			n := order.Uint16(rec[at:])
			v := uint64(n&0x1fff) << (3 * (n >> 13))
			if t.Cell(r, []byte(key)).SetUint(v); key == "utime" || key == "stime" {
				t.Cell(r, []byte(key)).SetReal(float64(v) / acctHertz)
			}
		}
		for key, bit := range flags {
			t.Cell(r, []byte(key)).SetUint(uint64(cmp.Compare(rec[0]&bit, 0)))
		}
		tty := order.Uint16(rec[2:])
		t.Cell(r, []byte("tty")).SetUint(uint64(tty))
		t.Cell(r, []byte("ttyname")).SetString(ttyName(uint64(tty)))
		t.Cell(r, []byte("etime")).SetReal(ticks / acctHertz)
		t.Cell(r, []byte("uid_nm")).SetString(users.Name(false, uint64(order.Uint32(rec[8:]))))
		t.Cell(r, []byte("gid_nm")).SetString(users.Name(true, uint64(order.Uint32(rec[12:]))))
	}
}
