package cli

import (
	"fmt"
	"io"
	"path"
	"strings"
)

// A Config is the configuration of PCP on this machine: what pcp.conf defines,
// overruled by the environment (values.md V20).
type Config struct {
	lookupEnv func(string) (string, bool)
	values    map[string]string
	err       error
}

// A ConfigError says that the pcp.conf which the environment names cannot be
// read. The commands print it as it is, without their name.
type ConfigError struct {
	File string
	Err  error
}

// Error returns the two lines that the reference prints.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("FATAL PCP ERROR: could not open config file \"%s\" : %s\n"+
		"You may need to set PCP_CONF or PCP_DIR in your environment.", e.File, errorText(e.Err))
}

// Unwrap returns the cause.
func (e *ConfigError) Unwrap() error { return e.Err }

// maxConfig is how much of a pcp.conf is read.
const maxConfig = 1 << 20

// ReadConfig reads pcp.conf: the file that PCP_CONF names, or etc/pcp.conf below
// PCP_DIR, or the one in /etc or /usr/local/etc. Where none of these is, PCP is
// not installed, and its usual paths are assumed; but a file that the environment
// names must be there ([Config.Err]).
func ReadConfig(lookupEnv func(string) (string, bool), open func(string) (io.ReadCloser, error)) *Config {
	c := &Config{lookupEnv: lookupEnv, values: make(map[string]string)}
	files, asked := []string{"/etc/pcp.conf", "/usr/local/etc/pcp.conf"}, false
	if file, ok := lookupEnv("PCP_CONF"); ok {
		files, asked = []string{file}, true
	} else if dir, ok := lookupEnv("PCP_DIR"); ok {
		files, asked = []string{dir + "/etc/pcp.conf"}, true
	}
	for _, file := range files {
		f, err := open(file)
		if err != nil {
			c.err = &ConfigError{file, err}
			continue
		}
		defer f.Close()
		// A file that breaks off, or a directory, defines what could be read of it.
		text, _ := io.ReadAll(io.LimitReader(f, maxConfig))
		c.parse(string(text))
		c.err = nil
		return c
	}
	if !asked {
		c.err = nil
	}
	return c
}

// parse takes the definitions out of the text of a pcp.conf. The first definition
// of a name counts.
func (c *Config) parse(text string) {
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		value = unquote(value)
		if _, seen := c.values[name]; !seen {
			c.values[name] = value
		}
	}
}

// unquote removes a quote that a value both begins and ends with. One quote alone
// is both.
func unquote(value string) string {
	n := len(value)
	if n == 0 || value[0] != value[n-1] || value[0] != '"' && value[0] != '\'' {
		return value
	}
	return value[1:max(1, n-1)]
}

// Err returns a *[ConfigError] if the file that the environment names could not
// be read. It is fatal for a command that needs the configuration.
func (c *Config) Err() error { return c.err }

// Lookup returns the value of a variable of the environment or of pcp.conf,
// without the defaults.
func (c *Config) Lookup(name string) (string, bool) {
	if value, ok := c.lookupEnv(name); ok {
		return value, true
	}
	value, ok := c.values[name]
	return value, ok
}

// Get returns the value of a variable, or the usual one, or "".
func (c *Config) Get(name string) string {
	if value, ok := c.Lookup(name); ok {
		return value
	}
	switch name {
	case "PCP_VAR_DIR":
		return "/var/lib/pcp"
	case "PCP_TMP_DIR":
		return "/var/lib/pcp/tmp"
	case "PCP_PMDAS_DIR":
		return "/var/lib/pcp/pmdas"
	case "PCP_SYSCONF_DIR":
		return "/etc/pcp"
	case "PCP_PMCDCONF_PATH":
		return "/etc/pcp/pmcd/pmcd.conf"
	case "PCP_LOG_DIR":
		return "/var/log/pcp"
	case "PCP_ARCHIVE_DIR":
		return "/var/log/pcp/pmlogger"
	case "PCP_RUN_DIR":
		return "/run/pcp"
	}
	return ""
}

// DerivedConfig returns where the definitions of derived metrics are that every
// command loads: files and directories, separated by colons, or "" for none.
func (c *Config) DerivedConfig() string {
	if value, ok := c.Lookup("PCP_DERIVED_CONFIG"); ok {
		return value
	}
	return path.Join(c.Get("PCP_VAR_DIR"), "config", "derived")
}

// PMNS returns the file of the default name space.
func (c *Config) PMNS() string {
	if value, ok := c.lookupEnv("PMNS_DEFAULT"); ok {
		return value
	}
	return path.Join(c.Get("PCP_VAR_DIR"), "pmns", "root")
}
