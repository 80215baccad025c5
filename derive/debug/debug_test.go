package debug

import (
	"io/fs"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

// TestUnreadable: a directory that cannot be listed is called one.
func TestUnreadable(t *testing.T) {
	var got string
	p := New(func(text string) { got += text })
	p.Set(Derive)
	p.Loaded(&derive.File{Path: "d", Err: pmerr.Permission, Mode: fs.ModeDir})
	p.Loaded(&derive.File{Path: "f", Err: pmerr.Permission})
	const want = "Warning: derived metrics path directory component: d: No permission to perform requested operation\n" +
		"Warning: derived metrics path component: f: No permission to perform requested operation\n"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestUnixMode covers the modes of what is neither a file nor a directory.
func TestUnixMode(t *testing.T) {
	for mode, want := range map[fs.FileMode]uint32{
		fs.ModeDevice | fs.ModeCharDevice | 0o666: 0o020666, fs.ModeDevice | 0o660: 0o060660, fs.ModeNamedPipe | 0o600: 0o010600,
		fs.ModeSocket | 0o777: 0o140777, fs.ModeIrregular | 0o444: 0o444,
	} {
		if got := unixMode(mode); got != want {
			t.Errorf("%v is %o, want %o", mode, got, want)
		}
	}
}

// TestMoved: how instances of the time before are found, as the reference prints it.
func TestMoved(t *testing.T) {
	for _, c := range []struct {
		now, last []int32
		want      string
	}{
		{[]int32{1, 2}, []int32{1, 2}, ""},
		{[]int32{1, 2}, nil, ""},
		{[]int32{1, 2}, []int32{1, 2, 3}, ""},
		{[]int32{0, 50, 60, 20}, []int32{60, 20}, `eval_expr: DELTA: inst[0] mismatch left [0]=0 last [0]=60
eval_expr: DELTA: inst[0] mismatch left [1]=50 last [1]=20
eval_expr: DELTA: inst[1] mismatch left [3]=20 last [0]=60
eval_expr: recover @ last [1]=20
`},
		{[]int32{40, 0, 50}, []int32{0, 50}, `eval_expr: DELTA: inst[0] mismatch left [0]=40 last [0]=0
eval_expr: DELTA: inst[0] mismatch left [1]=0 last [1]=50
eval_expr: recover @ last [0]=0
eval_expr: DELTA: inst[1] mismatch left [2]=50 last [0]=0
eval_expr: recover @ last [1]=50
`},
	} {
		var b strings.Builder
		if moved(&b, "DELTA", c.now, c.last); b.String() != c.want {
			t.Errorf("%v after %v: got %s, want %s", c.now, c.last, &b, c.want)
		}
	}
}
