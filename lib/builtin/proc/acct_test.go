package proc

import (
	"encoding/binary"
	"testing"
	"time"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/builtin/internal/procfs/procfstest"
)

// acctSample are two records that Linux 6.18 has written on amd64, of sh and bash.
const acctSample = "\x02\x03\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x44\x00\x00\x00\x37\x00\x00\x00\x64\x48\x03\x6b\x00\x00\x00\x00\x00\x00\x00\x00\x84\x0a\x95\x05\x00\x00\xa4\x00\x00\x00\x00\x00\x73\x68\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x01\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x37\x00\x00\x00\x01\x00\x00\x00\x61\x48\x03\x6b\x00\x80\x96\x43\x00\x00\x00\x00\x08\x11\xed\x09\x00\x00\x12\x01\x00\x00\x00\x00\x62\x61\x73\x68\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// TestAcct compares with the values of the reference's agent of PCP 7.2.2 for the same records.
func TestAcct(t *testing.T) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the records are of another byte order")
	}
	old := []byte(acctSample[:acctRecord])
	old[16], old[24+3] = 99, 1 // another process, of the last century
	dir := procfstest.Files(t, map[string]string{
		"var/log/account/pacct": "cut" + string(old) + acctSample, "etc/passwd": "root:x:0:0\n", "etc/group": "root:x:0:\n",
	})
	p := newCollector(procfstest.Options(dir))
	now := time.Unix(1795377260, 0)
	p.hot.now = func() time.Time { return now }
	a := p.agent()
	check := func(want map[string]string) {
		t.Helper()
		for name, values := range want {
			if got := procfstest.Values(t, a, name)[0]; got != values {
				t.Errorf("%s: %s, want %s", name, got, values)
			}
		}
	}
	check(map[string]string{
		"acct.control.state": "1", "acct.control.lifetime": "60", "acct.psinfo.pid": "bash=55|sh=68", "acct.psinfo.ppid": "bash=1|sh=55",
		"acct.psinfo.btime": "bash=1795377249|sh=1795377252", "acct.psinfo.etime": "bash=3.01|sh=0", "acct.psinfo.utime": "bash=0|sh=0", "acct.psinfo.mem": "bash=4360|sh=2692",
		"acct.psinfo.io": "bash=2541|sh=1429", "acct.psinfo.minflt": "bash=274|sh=164", "acct.psinfo.exitcode": "bash=0|sh=768", "acct.psinfo.ttyname": `bash="?"|sh="?"`,
		"acct.id.uid_nm": `bash="root"|sh="root"`, "acct.id.gid": "bash=0|sh=0", "acct.flag.fork": "bash=1|sh=0", "acct.flag.su": "bash=0|sh=1", "acct.flag.core": "bash=0|sh=0",
	})
	now = now.Add(time.Hour)
	check(map[string]string{"acct.psinfo.pid": ""})
	p.lifetime = 7200
	check(map[string]string{"acct.psinfo.pid": "bash=55|sh=68"})
}

// FuzzAcct: records of accounting of any bytes give processes with numbers that are not negative.
func FuzzAcct(f *testing.F) {
	f.Add([]byte(acctSample))
	f.Add([]byte(acctSample[:70]))
	f.Fuzz(func(t *testing.T, text []byte) {
		table := procfstest.NewTable("pid", "etime", "io")
		parseAcct(table, text, time.Unix(0, 0), &procfs.Users{})
		for i := range table.Rows {
			if table.Rows[i].Inst < 0 {
				t.Errorf("instance %d", table.Rows[i].Inst)
			}
		}
	})
}
