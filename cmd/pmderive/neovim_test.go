package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pmtools/lib/archive/archivetest"
	"pmtools/test/env"
)

// TestNeovim runs a Neovim in a terminal, with the configuration that docs/editor.md shows, and uses
// the keys that it defines.
func TestNeovim(t *testing.T) {
	for _, name := range []string{"nvim", "tmux"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
	page, err := os.ReadFile("../../docs/editor.md")
	if err != nil {
		t.Fatal(err)
	}
	config := regexp.MustCompile("(?s)```lua\n(.*?)```").FindSubmatch(page)
	if config == nil {
		t.Fatal("docs/editor.md has no configuration")
	}
	dir := env.Dir(t)
	if err := archivetest.Build(dir, "demo"); err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(dir, "demo")
	init := strings.ReplaceAll(string(config[1]), "/var/log/pcp/pmlogger/app1", base) +
		"vim.g.mapleader = ','\nvim.o.swapfile = false\n"
	for name, text := range map[string]string{
		"init.lua": init, "derived/d.conf": "disk.load = rate(disk.dev.totl)\nother = disk.load + 1\n",
	} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	n := &neovim{t: t, dir: dir, socket: filepath.Join(dir, "tmux")}
	n.tmux("-f", "/dev/null", "new-session", "-d", "-x", "150", "-y", "40", "env", "HOME="+dir, "PATH="+os.Getenv("PATH"), "TZ=UTC",
		"PCP_DERIVED_CONFIG=", "nvim", "-u", filepath.Join(dir, "init.lua"), "-i", "NONE", filepath.Join(dir, "derived/d.conf"))
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", n.socket, "kill-server").Run() })
	n.wait("unknown metric disk.dev.totl") // diagnostics
	n.keys("f(l", ",a")                    // code action
	n.wait("replace by disk.dev.total")
	n.keys("1", "Enter")
	n.wait("rate(disk.dev.total)")
	n.keys("K") // hover
	n.wait("64-bit unsigned int, counter, count")
	n.keys("Escape", ":2", "Enter", "0", "fd", "gd") // definition
	n.wait(" 1,1  ")                                 // in the ruler
	n.keys("Go", "new = disk.dev.total[")
	n.ask("nvme0n1]", "C-x", "C-o") // completion, which answers nothing while the source is busy
	n.keys("Escape", ":qa!", "Enter")
}

// A neovim is one in a terminal of tmux.
type neovim struct {
	t           *testing.T
	dir, socket string
}

// tmux runs a command of tmux and returns what it prints.
func (n *neovim) tmux(args ...string) string {
	n.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", n.socket}, args...)...).CombinedOutput()
	if err != nil {
		n.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// keys types.
func (n *neovim) keys(keys ...string) {
	n.t.Helper()
	n.tmux(append([]string{"send-keys"}, keys...)...)
}

// wait waits until a text is on the screen.
func (n *neovim) wait(text string) { n.ask(text) }

// ask types keys again and again until a text is on the screen.
func (n *neovim) ask(text string, keys ...string) {
	n.t.Helper()
	screen := ""
	for i := range 600 {
		if i%60 == 0 && len(keys) > 0 {
			n.keys(keys...)
		}
		if screen = n.tmux("capture-pane", "-p"); strings.Contains(screen, text) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	n.t.Fatalf("there is no %q:\n%s", text, screen)
}
