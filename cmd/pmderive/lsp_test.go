package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"pmtools/lib/archive/archivetest"
)

// framed returns a message of the Language Server Protocol.
func framed(m map[string]any) string {
	m["jsonrpc"] = "2.0"
	body, _ := json.Marshal(m)
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// TestLSP: the language server publishes what check --json reports.
func TestLSP(t *testing.T) {
	files, err := filepath.Glob("../../docs/examples/*.conf")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	files = append(files, "../../test/demo.conf")
	if list, err := filepath.Glob(os.Getenv("PMTOOLS_PEER") + "/etc/pcp/derived/*"); err == nil && os.Getenv("PMTOOLS_PEER") != "" {
		files = append(files, list...)
	}
	base := archivetest.Path(t, "demo")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for line := range strings.Lines(runIn("", "-a", base, "check", "--json", file)) {
			var d struct {
				Line, Column            int
				Severity, Rule, Message string
			}
			if err := json.Unmarshal([]byte(line), &d); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			want = append(want, fmt.Sprint(d.Line, d.Column, d.Severity, d.Rule, d.Message))
		}
		if got := published(t, base, string(text), want); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s:\n%s\nwant\n%s", file, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestLSPEndsWithEditor: the language server ends when the process of its client has ended, though its input stays open.
func TestLSPEndsWithEditor(t *testing.T) {
	begin := func(pid int) *exec.Cmd {
		cmd := lspCommand()
		in, _ := cmd.StdinPipe()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { in.Close() })
		io.WriteString(in, framed(map[string]any{"id": 1, "method": "initialize", "params": map[string]any{"processId": pid}}))
		return cmd
	}
	editor := begin(os.Getpid())
	server := begin(editor.Process.Pid)
	if err := editor.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = editor.Wait() // killed
	defer time.AfterFunc(time.Minute, func() { server.Process.Kill() }).Stop()
	if err := server.Wait(); err == nil || server.ProcessState.ExitCode() != 1 {
		t.Errorf("the server ends: %v", err)
	}
}

func lspCommand(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	if exe, err := exec.LookPath("pmderive"); err == nil { // of testscript.Main
		cmd = exec.Command(exe)
	}
	cmd.Args = append(append([]string{"pmderive"}, args...), "lsp", "--stdio")
	return cmd
}

// published returns what the language server publishes about a text. On a slow machine it may publish
// something else before what is wanted.
func published(t *testing.T, base, text string, want []string) (list []string) {
	t.Helper()
	cmd := lspCommand("-a", base)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	open := map[string]any{"textDocument": map[string]any{"uri": "file:///x.conf", "version": 1, "text": text}}
	io.WriteString(in, framed(map[string]any{"id": 1, "method": "initialize", "params": map[string]any{}})+framed(map[string]any{"method": "textDocument/didOpen", "params": open}))
	reader := bufio.NewReader(out)
	defer time.AfterFunc(time.Minute, func() { in.Close() }).Stop()
	for answers := 0; answers < 2 || fmt.Sprint(list) != fmt.Sprint(want); answers++ {
		head, err := textproto.NewReader(reader).ReadMIMEHeader()
		if err != nil {
			return list
		}
		n, _ := strconv.Atoi(head.Get("Content-Length"))
		body := make([]byte, n)
		if _, err := io.ReadFull(reader, body); err != nil {
			t.Fatal(err)
		}
		var m struct {
			ID     int
			Params struct {
				Diagnostics []struct {
					Range         struct{ Start struct{ Line, Character int } }
					Severity      int
					Code, Message string
				}
			}
		}
		if err := json.Unmarshal(body, &m); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if m.ID == 1 {
			continue
		}
		list = nil
		for _, d := range m.Params.Diagnostics {
			message, _, _ := strings.Cut(d.Message, "\n")
			list = append(list, fmt.Sprint(d.Range.Start.Line+1, d.Range.Start.Character+1, map[int]string{1: "error", 2: "warning"}[d.Severity], d.Code, message))
		}
	}
	io.WriteString(in, framed(map[string]any{"id": 2, "method": "shutdown"})+framed(map[string]any{"method": "exit"}))
	go io.Copy(io.Discard, reader)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	return list
}
