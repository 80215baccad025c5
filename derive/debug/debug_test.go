package debug

import (
	"io/fs"
	"testing"

	"pmtools/derive"
	"pmtools/lib/pmerr"
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
