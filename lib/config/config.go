// Package config reads pcp.conf, the configuration of PCP on this machine (pmGetConfig).
package config

import (
	"bytes"
	"fmt"
	"io"
	"path"

	"pmtools/lib/pmerr"
)

// A Config holds the definitions of pcp.conf. Variables of the environment override them.
type Config struct {
	lookupEnv func(string) (string, bool)
	text      []byte // text of pcp.conf
	installed bool
	err       error
}

// An Error reports that the pcp.conf which the environment names cannot be read.
type Error struct {
	File string
	Err  error
}

// Error returns the two lines that the reference prints, without the program's name.
func (e *Error) Error() string {
	return fmt.Sprintf("FATAL PCP ERROR: could not open config file \"%s\" : %v\n"+
		"You may need to set PCP_CONF or PCP_DIR in your environment.", e.File, pmerr.Of(e.Err))
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// The usual number of bytes of a pcp.conf, and the limit for reading one.
const (
	usualSize = 12 << 10
	maxSize   = 1 << 20
)

// Read reads pcp.conf: the file that PCP_CONF names, or etc/pcp.conf below PCP_DIR, or the one in
// /etc or /usr/local/etc. If none of these exists, PCP is not installed and its usual paths are
// assumed; but a file that the environment names must exist (see [Config.Err]).
func Read(lookupEnv func(string) (string, bool), open func(string) (io.ReadCloser, error)) *Config {
	c := &Config{lookupEnv: lookupEnv}
	files, named := []string{"/etc/pcp.conf", "/usr/local/etc/pcp.conf"}, true
	if file, ok := lookupEnv("PCP_CONF"); ok {
		files = []string{file}
	} else if dir, ok := lookupEnv("PCP_DIR"); ok {
		files = []string{dir + "/etc/pcp.conf"}
	} else {
		named = false
	}
	c.installed = named
	for _, file := range files {
		f, err := open(file)
		if err == nil {
			defer f.Close()
			c.installed = true
			// After a read error the complete lines before it count; of a directory nothing can be
			// read.
			var text bytes.Buffer
			text.Grow(usualSize)
			text.ReadFrom(io.LimitReader(f, maxSize))
			c.text = text.Bytes()
			return c
		}
		if named {
			c.err = &Error{file, err}
		}
	}
	return c
}

// defined returns the first value in pcp.conf. Commands ask for a few of some hundred variables.
func (c *Config) defined(name string) (string, bool) {
	for line := range bytes.Lines(c.text) {
		key, value, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte("="))
		if ok && string(key) == name && line[0] != '#' {
			return unquote(string(value)), true
		}
	}
	return "", false
}

// unquote removes a quote around a value. A single quote character is both its begin and its end.
func unquote(value string) string {
	n := len(value)
	if n == 0 || value[0] != value[n-1] || value[0] != '"' && value[0] != '\'' {
		return value
	}
	return value[1:max(1, n-1)]
}

// Err returns an *[Error] if the file that the environment names could not be read. It is fatal for
// a command that needs the configuration.
func (c *Config) Err() error { return c.err }

// Installed reports whether PCP is installed: there is a pcp.conf, or the environment names one.
func (c *Config) Installed() bool { return c.installed }

// Lookup returns the value of a variable of the environment or of pcp.conf, without the defaults.
func (c *Config) Lookup(name string) (string, bool) {
	if value, ok := c.lookupEnv(name); ok {
		return value, true
	}
	return c.defined(name)
}

var usual = [...]struct{ name, value string }{
	{"PCP_VAR_DIR", "/var/lib/pcp"},
	{"PCP_TMP_DIR", "/var/lib/pcp/tmp"},
	{"PCP_PMDAS_DIR", "/var/lib/pcp/pmdas"},
	{"PCP_SYSCONF_DIR", "/etc/pcp"},
	{"PCP_PMCDCONF_PATH", "/etc/pcp/pmcd/pmcd.conf"},
	{"PCP_LOG_DIR", "/var/log/pcp"},
	{"PCP_ARCHIVE_DIR", "/var/log/pcp/pmlogger"},
	{"PCP_RUN_DIR", "/run/pcp"},
}

// Get returns the value of a variable, or its usual default, or "".
func (c *Config) Get(name string) string {
	if value, ok := c.Lookup(name); ok {
		return value
	}
	for i := range usual {
		if usual[i].name == name {
			return usual[i].value
		}
	}
	return ""
}

// Derived returns the files and directories, separated by colons, with the definitions of derived
// metrics that every command loads, or "" for none.
func (c *Config) Derived() string {
	if value, ok := c.Lookup("PCP_DERIVED_CONFIG"); ok {
		return value
	}
	return path.Join(c.Get("PCP_VAR_DIR"), "config", "derived")
}
