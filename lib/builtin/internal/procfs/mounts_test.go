package procfs

import "testing"

func TestRemoteMounts(t *testing.T) {
	m := RemoteMounts{}
	for _, mount := range [][2]string{{"/", "ext4"}, {"/home", "autofs"}, {"/home/a\\040b", "nfs4"}, {"/proc", "proc"}, {"/srv", "xfs"}, {"/srv/new", "kind-of-2040"}} {
		m.Add([]byte(mount[0]), []byte(mount[1]))
	}
	for name, want := range map[string]string{
		"/": "", "/home": "autofs", "/home/x/y": "autofs", "/home/a b/c": "nfs4", "/homes": "", "/srv": "", "/srv/new": "kind-of-2040", "home": "", "": "", "srv:/home": "",
	} {
		if got := m.KindOf(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	m.Add([]byte("/"), []byte("9p"))
	if got := m.KindOf("/srv"); got != "9p" {
		t.Errorf("below a remote root: %q", got)
	}
}
