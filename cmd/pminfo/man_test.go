package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestManual checks that the manual page describes every option.
func TestManual(t *testing.T) {
	page, err := os.ReadFile("../../man/pminfo.1")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(page), `\-`, "-")
	usage := run([]string{"-?"}, nil).Stderr
	options := regexp.MustCompile(`--[a-zA-Z-]+`).FindAllString(usage, -1)
	if len(options) < 30 {
		t.Fatalf("only %d options in the usage text", len(options))
	}
	for _, o := range options {
		if !strings.Contains(text, o) {
			t.Errorf("man/pminfo.1 does not document %s", o)
		}
	}
}
