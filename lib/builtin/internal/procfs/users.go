package procfs

import "bytes"

// Users are the names of users and groups in the files of the system. Load reads them.
type Users struct {
	Root          *Root
	users, groups map[uint64]string
}

// Load reads the files.
func (u *Users) Load() {
	u.users, u.groups = u.read("etc/passwd"), u.read("etc/group")
}

// Name returns the name of a group or a user, "" for an unknown number.
func (u *Users) Name(group bool, id uint64) string {
	if group {
		return u.groups[id]
	}
	return u.users[id]
}

// read reads a file like /etc/passwd: a name, something, a number. The first name of a number
// counts.
func (u *Users) read(file string) map[uint64]string {
	text, _ := u.Root.Read(file) // without the file there are numbers only
	names := map[uint64]string{}
	for line := range Lines(text) {
		name, rest, _ := bytes.Cut(line, []byte{':'})
		_, rest, _ = bytes.Cut(rest, []byte{':'})
		id, _, _ := bytes.Cut(rest, []byte{':'})
		if n, ok := Uint(id); ok && len(name) > 0 && names[n] == "" {
			names[n] = string(name)
		}
	}
	return names
}
