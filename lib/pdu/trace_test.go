package pdu

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestTrace(t *testing.T) {
	for _, row := range []struct {
		hex, want string
	}{
		{"00000014 00007000 00000007 00000000 02010e44", "< ERROR from=7 len=20 code=0 info=0x2010e44"},
		{"00000010 00007000 00000000 ffffcfbb", "< ERROR from=0 len=16 code=-12357"},
		{credsDumps[1].hex, "< CREDS from=1531 len=20 version=2 flags=0x11"},
		{attrDumps[1].hex, "< ATTR from=0 len=36 code=0 value of 20 bytes"},
		{attrDumps[3].hex, `< ATTR from=0 len=19 code=15 value="foo"`},
		{fetchDumps[2].hex, "< FETCH from=0 len=32 slot=63 ids=[PM_ID_NULL]"},
		{fetchDumps[3].hex, "< HIGHRES_FETCH from=0 len=32 slot=0 ids=[29.0.10]"},
		{profileDumps[1].hex, "< PROFILE from=0 len=52 slot=0 exclude=true {indom=29.2 exclude=true insts=[100 300]}"},
		{resultDumps(t)[0].hex, "< RESULT from=0 len=60 time=1795171526.341520000 {29.0.10 -1=1} {29.0.138} {29.0.54 error=-12358}"},
		{resultDumps(t)[2].hex, `< RESULT from=0 len=64 time=0.000000000 {29.0.31 -1="hullo world!"}`},
		{resultDumps(t)[11].hex, "< HIGHRES_RESULT from=0 len=112 time=1.000000002 {29.0.1 100=-2 200=3} {29.0.2 -1=1069547520}"},
		{descDumps[0].hex, "< DESC_REQ from=0 len=16 id=29.0.10"},
		{descDumps[1].hex, "< DESC from=0 len=32 id=29.0.3 type=DOUBLE indom=PM_INDOM_NULL sem=counter units=0x0f103000"},
		{descDumps[3].hex, "< DESC_IDS from=0 len=28 ids=[29.0.6 29.0.10]"},
		{descDumps[4].hex, "< DESCS from=0 len=56 {id=29.0.6 type=32 indom=29.2 sem=instant units=0x00000000} {id=29.0.10 type=32 indom=PM_INDOM_NULL sem=instant units=0x00000000}"},
		{instanceDumps[0].hex, `< INSTANCE_REQ from=0 len=40 indom=29.2 inst=-1 name="bin-100"`},
		{instanceDumps[4].hex, `< INSTANCE from=0 len=60 indom=253.0 0="red" 1="green" 2="blue"`},
		{textDumps[2].hex, "< TEXT_REQ from=0 len=20 ident=0x7400002 indom=true kind=2"},
		{textDumps[3].hex, `< TEXT from=0 len=48 text="Several constant instances"`},
		{namesDumps[0].hex, `< PMNS_NAMES from=0 len=64 names=["sample.bin" "no.such" "sample"] status=[]`},
		{namesDumps[7].hex, "< PMNS_NAMES from=0 len=24 error=-12357"},
		{namesDumps[1].hex, "< PMNS_IDS from=0 len=32 status=1 ids=[29.0.6 PM_ID_NULL PM_ID_NULL]"},
		{namesDumps[2].hex, `< PMNS_CHILD from=0 len=36 name="sample.secret" status=true`},
		{namesDumps[9].hex, `< PMNS_TRAVERSE from=0 len=28 name="sample"`},
		{labelDumps[0].hex, "< LABEL_REQ from=0 len=20 ident=0x1d kind=2"},
		{labelDumps[2].hex, `< LABEL from=0 len=95 ident=0x1d kind=2 {inst=-1 {"agent":"sample","role":"testing"}}`},
		{labelDumps[4].hex, `< LABEL from=0 len=91 ident=0x7400002 kind=32 {inst=100 {"a":1}} {inst=200 error="Unknown or illegal instance identifier"} {inst=300 {}}`},
		{`0000003d 00007013 00000000 0000001d 00000002 00000000 00000001 ffffffff 00000001 00000034 00000009 00020102 00050003 "{"a":" 220a22 "}"`, `< LABEL from=0 len=61 ident=0x1d kind=2 {inst=-1 {"a":"\n"}}`},
		{"0000000c 0000700b 00000000", "< TYPE-28683? from=0 len=12 unknown"},
		{"0000000e 00007004 00000000 0000", "< DESC_REQ from=0 len=14 malformed data: 4 bytes needed at offset 0, 2 left"},
	} {
		f := frame(t, unhex(t, row.hex))
		var out strings.Builder
		if err := Trace(&out, "<", f); err != nil || out.String() != row.want+"\n" {
			t.Errorf("got\n%s error %v, want\n%s", out.String(), err, row.want)
		}
	}
}

// TestTraceSecrets traces the messages of authentication.
func TestTraceSecrets(t *testing.T) {
	var out bytes.Buffer
	if err := Trace(&out, ">", frame(t, unhex(t, attrDumps[1].hex))); err != nil || bytes.Contains(out.Bytes(), []byte("sekrit")) || bytes.Contains(out.Bytes(), []byte("bob")) {
		t.Errorf("%s, error %v", out.Bytes(), err)
	}
}

// full is a writer that cannot write.
type full struct{}

// Write implements io.Writer.
func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestTraceError(t *testing.T) {
	if err := Trace(full{}, ">", Frame{Type: TypeError}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error %v", err)
	}
}

// FuzzTrace traces whatever comes: each message is one line.
func FuzzTrace(f *testing.F) {
	for _, dumps := range [][]dump{resultDumps(f), labelDumps, namesDumps, instanceDumps, attrDumps} {
		for _, d := range dumps {
			f.Add(int32(d.want.Type()), unhex(f, d.hex)[HeaderSize:])
		}
	}
	f.Fuzz(func(t *testing.T, typ int32, body []byte) {
		var out strings.Builder
		if err := Trace(&out, "<", Frame{Type: Type(typ), Body: body}); err != nil {
			t.Fatal(err)
		}
		if strings.Count(out.String(), "\n") != 1 || !strings.HasSuffix(out.String(), "\n") {
			t.Fatalf("%q is not one line", out.String())
		}
	})
}
