package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestManual checks that the manual page describes every option.
func TestManual(t *testing.T) {
	page, err := os.ReadFile("../../man/pmstore.1")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(page), `\-`, "-")
	usage := run([]string{"-?"}, nil).Stderr
	options := regexp.MustCompile(`--[a-zA-Z-]+`).FindAllString(usage, -1)
	if len(options) != 10 {
		t.Fatalf("%d options in the usage text", len(options))
	}
	for _, o := range options {
		if !strings.Contains(text, o) {
			t.Errorf("man/pmstore.1 does not document %s", o)
		}
	}
}
