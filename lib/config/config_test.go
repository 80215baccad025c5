package config

import (
	"io"
	"io/fs"
	"strings"
	"testing"

	_ "pmtools/test/env"
)

// A world is the environment of a test: variables, and files.
type world struct {
	vars  map[string]string
	files map[string]string
}

// config reads the configuration of w.
func (w world) config() *Config {
	return Read(func(name string) (string, bool) { value, ok := w.vars[name]; return value, ok },
		func(name string) (io.ReadCloser, error) {
			text, ok := w.files[name]
			if !ok {
				return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
			}
			return io.NopCloser(strings.NewReader(text)), nil
		})
}

func TestConfigFile(t *testing.T) {
	const text = `# PCP_A=comment
PCP_A=first
PCP_A=second
PCP_B="double quoted value"
PCP_C='single quoted'
PCP_D="mixed'
PCP_E = spaced
PCP_G=
PCP_H=a=b=c
PCP_I=trail   
PCP_J=$PCP_A/sub
PCP_M=x # comment
PCP_Q="
  # not a comment with = sign
no definition
PCP_Z=last line`
	w := world{files: map[string]string{"/etc/pcp.conf": text}, vars: map[string]string{"PCP_ENV": "e", "PCP_G": "g"}}
	config := w.config()
	for name, want := range map[string]string{
		"PCP_A": "first", "PCP_B": "double quoted value", "PCP_C": "single quoted", "PCP_D": `"mixed'`, "PCP_E ": " spaced",
		"PCP_G": "g", "PCP_H": "a=b=c", "PCP_I": "trail   ", "PCP_J": "$PCP_A/sub", "PCP_M": "x # comment", "PCP_Q": "",
		"  # not a comment with ": " sign", "PCP_Z": "last line", "PCP_ENV": "e",
	} {
		if got, ok := config.Lookup(name); got != want || !ok {
			t.Errorf("%s = %q, %v, want %q", name, got, ok, want)
		}
	}
	for _, name := range []string{"# PCP_A", "PCP_E", "no definition", ""} {
		if got, ok := config.Lookup(name); ok {
			t.Errorf("%q is defined: %q", name, got)
		}
	}
}

func TestConfigPlace(t *testing.T) {
	files := map[string]string{
		"/etc/pcp.conf":           "PCP_VAR_DIR=/etc-var\n",
		"/usr/local/etc/pcp.conf": "PCP_VAR_DIR=/local-var\n",
		"/my/conf":                "PCP_VAR_DIR=/my-var\n",
		"/dir/etc/pcp.conf":       "PCP_VAR_DIR=/dir-var\n",
	}
	without := func(name string) map[string]string {
		left := make(map[string]string)
		for file, text := range files {
			if file != name {
				left[file] = text
			}
		}
		return left
	}
	tests := []struct {
		name  string
		files map[string]string
		vars  map[string]string
		want  string
		err   string
	}{
		{"usual", files, nil, "/etc-var", ""},
		{"local", without("/etc/pcp.conf"), nil, "/local-var", ""},
		{"none", nil, nil, "/var/lib/pcp", ""},
		{"PCP_CONF", files, map[string]string{"PCP_CONF": "/my/conf", "PCP_DIR": "/dir"}, "/my-var", ""},
		{"PCP_DIR", files, map[string]string{"PCP_DIR": "/dir"}, "/dir-var", ""},
		{"environment first", files, map[string]string{"PCP_VAR_DIR": "/env-var"}, "/env-var", ""},
		{"environment first, empty", files, map[string]string{"PCP_VAR_DIR": ""}, "", ""},
		{"PCP_CONF not there", files, map[string]string{"PCP_CONF": "/nosuch"}, "/var/lib/pcp",
			"FATAL PCP ERROR: could not open config file \"/nosuch\" : No such file or directory\n" +
				"You may need to set PCP_CONF or PCP_DIR in your environment."},
		{"PCP_DIR not there", files, map[string]string{"PCP_DIR": "/nosuch"}, "/var/lib/pcp",
			"FATAL PCP ERROR: could not open config file \"/nosuch/etc/pcp.conf\" : No such file or directory\n" +
				"You may need to set PCP_CONF or PCP_DIR in your environment."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			config := world{files: test.files, vars: test.vars}.config()
			if got := config.Get("PCP_VAR_DIR"); got != test.want {
				t.Errorf("PCP_VAR_DIR = %q, want %q", got, test.want)
			}
			switch err := config.Err(); {
			case test.err == "" && err != nil:
				t.Errorf("error %v", err)
			case test.err != "" && (err == nil || err.Error() != test.err):
				t.Errorf("error %v, want %s", err, test.err)
			}
		})
	}
}

func TestConfigDefaults(t *testing.T) {
	none := world{}.config()
	for name, want := range map[string]string{
		"PCP_ARCHIVE_DIR": "/var/log/pcp/pmlogger", "PCP_LOG_DIR": "/var/log/pcp", "PCP_SYSCONF_DIR": "/etc/pcp", "PCP_RUN_DIR": "/run/pcp",
		"PCP_TMP_DIR": "/var/lib/pcp/tmp", "PCP_PMDAS_DIR": "/var/lib/pcp/pmdas", "PCP_PMCDCONF_PATH": "/etc/pcp/pmcd/pmcd.conf", "PCP_FOO": "",
	} {
		if got := none.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if got := none.Derived(); got != "/var/lib/pcp/config/derived" {
		t.Errorf("derived metrics in %q", got)
	}
	set := world{vars: map[string]string{"PCP_DERIVED_CONFIG": ""}}.config()
	if got := set.Derived(); got != "" {
		t.Errorf("derived metrics in %q, although switched off", got)
	}
}

// FuzzConfig: the first line of a name in pcp.conf decides its value.
func FuzzConfig(f *testing.F) {
	f.Add("PCP_A=\"\n='\n#=\n=\"x\"")
	f.Fuzz(func(t *testing.T, text string) {
		config := world{files: map[string]string{"/etc/pcp.conf": text}}.config()
		want := make(map[string]string)
		for line := range strings.Lines(text) {
			name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			if _, seen := want[name]; ok && !seen && !strings.HasPrefix(line, "#") {
				want[name] = unquote(value)
			}
		}
		for name, value := range want {
			if got, ok := config.Lookup(name); !ok || got != value {
				t.Errorf("%q = %q, %v, want %q", name, got, ok, value)
			}
		}
	})
}
