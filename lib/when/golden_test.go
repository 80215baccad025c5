package when_test

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"
)

// golden yields the fields of each line of a recorded file, with the number of the line. Bytes
// written as \xHH are decoded.
func golden(t *testing.T, path string, fields int) func(yield func(int, []string) bool) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return func(yield func(int, []string) bool) {
		sc := bufio.NewScanner(file)
		for line := 1; sc.Scan(); line++ {
			if strings.HasPrefix(sc.Text(), "#") {
				continue
			}
			list := strings.Split(sc.Text(), "\t")
			if len(list) != fields {
				t.Fatalf("%s:%d: %d fields, want %d", path, line, len(list), fields)
			}
			for i := range list {
				list[i] = unescape(list[i])
			}
			if !yield(line, list) {
				return
			}
		}
		if sc.Err() != nil {
			t.Fatal(sc.Err())
		}
	}
}

// unescape decodes \xHH.
func unescape(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, `\x`)
		if i < 0 || len(s) < i+4 {
			return b.String() + s
		}
		n, err := strconv.ParseUint(s[i+2:i+4], 16, 8)
		if err != nil {
			return b.String() + s
		}
		b.WriteString(s[:i])
		b.WriteByte(byte(n))
		s = s[i+4:]
	}
}
