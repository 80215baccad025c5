// Package hostattr knows the attributes of host specifications, and hides the passwords among them.
package hostattr

// keys gives the full name of each key (wire.md W2.2).
var keys = [...]struct{ short, full string }{
	{"secure", "secure"}, {"compress", "compress"},
	{"userauth", "userauth"}, {"authorise", "userauth"}, {"authorize", "userauth"},
	{"user", "username"}, {"username", "username"},
	{"pass", "password"}, {"password", "password"},
	{"method", "method"}, {"authmeth", "method"},
	{"realm", "realm"}, {"container", "container"},
	{"unix", "unix"}, {"unixsock", "unix"}, {"local", "local"},
	{"uid", "userid"}, {"userid", "userid"}, {"gid", "groupid"}, {"groupid", "groupid"},
	{"pid", "processid"}, {"processid", "processid"}, {"exclusive", "exclusive"},
}

// Full returns the full name of an attribute that the reference knows, or "".
func Full(name string) string {
	for _, k := range keys {
		if k.short == name {
			return k.full
		}
	}
	return ""
}
