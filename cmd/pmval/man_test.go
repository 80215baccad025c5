package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestManual checks that the manual page documents every option.
func TestManual(t *testing.T) {
	page, err := os.ReadFile("../../man/pmval.1")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(page), `\-`, "-")
	usage := run([]string{"-?"}, nil).Stderr
	options := regexp.MustCompile(`--[a-zA-Z-]+`).FindAllString(usage, -1)
	if len(options) < 25 {
		t.Fatalf("only %d options in the usage text", len(options))
	}
	for _, o := range append(options, "--output", "--plot", "--color", "--reconnect") {
		if !strings.Contains(text, o) {
			t.Errorf("man/pmval.1 does not document %s", o)
		}
	}
}
