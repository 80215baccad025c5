package cli

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// say sends a text through the message channel and returns what is on standard error then.
func (w world) say(text string) string {
	var out, errs strings.Builder
	Run(context.Background(), w.env(&out, &errs, "pminfo"), func(env *Env) Func {
		return func(context.Context) error { env.Messages.Print(text); return nil }
	})
	return errs.String()
}

// TestMessages: the places that PCP_STDERR names.
func TestMessages(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "out")
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const version = "pminfo version 7.2.2\n"
	tests := []struct {
		name string
		vars map[string]string
		want string
	}{
		{"unset", nil, version},
		{"empty", map[string]string{"PCP_STDERR": ""}, version},
		{"file", map[string]string{"PCP_STDERR": file}, ""},
		{"file again", map[string]string{"PCP_STDERR": file}, ""},
		{"no such directory", map[string]string{"PCP_STDERR": "/no/such"},
			"pmflush: cannot append to file '/no/such' (from $PCP_STDERR): No such file or directory\n" + version},
		{"no dialog", map[string]string{"PCP_STDERR": "display"}, "pminfo: using stderr - no PCP_XCONFIRM_PROG\n" + version},
		{"dialog not there", map[string]string{"PCP_STDERR": "DISPLAY", "PCP_XCONFIRM_PROG": "/no/such"},
			"pminfo: using stderr - cannot access /no/such: No such file or directory\n" + version},
		{"dialog not a program", map[string]string{"PCP_STDERR": "Display", "PCP_XCONFIRM_PROG": plain},
			"pminfo: using stderr - cannot access " + plain + ": Permission denied\n" + version},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := (world{vars: test.vars}).say(version); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != version+version {
		t.Errorf("%s: %q, %v", file, text, err)
	}
}

// TestDialog: how the dialog program is called.
func TestDialog(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	dir := t.TempDir()
	out, program := filepath.Join(dir, "out"), filepath.Join(dir, "confirm")
	script := "#!/bin/sh\nfor i; do echo \"[$i]\"; done > " + out + "\necho noise\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("pminfo: invalid option -- 'Q'\n", 4)
	for said, want := range map[string]string{
		"pminfo version 7.2.2\n": "[-t]\n[pminfo version 7.2.2\n]\n[-c]\n[-B]\n[OK]\n[-icon]\n[info]\n[-header]\n[PCP Information]\n",
		long:                     "[-t]\n[" + long + "]\n[-c]\n[-B]\n[OK]\n[-icon]\n[info]\n[-useslider]\n[-header]\n[PCP Information]\n",
	} {
		w := world{vars: map[string]string{"PCP_STDERR": "DISPLAY"}, files: map[string]string{"/etc/pcp.conf": "PCP_XCONFIRM_PROG=" + program}}
		got := w.say(said)
		text, err := os.ReadFile(out)
		if err != nil || string(text) != want || got != "" {
			t.Errorf("%q: %q, %v, want %q; standard error %q", said, text, err, want, got)
		}
	}
}
