package pmerr

import (
	"errors"
	"syscall"
	"testing"
)

func TestErrnoTexts(t *testing.T) {
	for n, text := range errnoTexts {
		switch {
		case n == 0, n == 41, n == 58:
			if text != "" {
				t.Errorf("error number %d has the text %q", n, text)
			}
		case text == "":
			t.Errorf("error number %d has no text", n)
		}
		if n > 0 && text != "" && Code(-n).Error() != text {
			t.Errorf("Code(%d).Error() = %q, want %q", -n, Code(-n).Error(), text)
		}
	}
}

func TestSaslTexts(t *testing.T) {
	for n, text := range saslTexts {
		hole := n == 0 || n == 25 || n == 31
		if hole != (text == "") {
			t.Errorf("SASL code %d has the text %q", -n, text)
		}
		if want := "Authentication - " + text; !hole && (NYI-Code(n)).Error() != want {
			t.Errorf("Code(%d).Error() = %q, want %q", NYI-Code(n), (NYI - Code(n)).Error(), want)
		}
	}
}

func TestOfErrno(t *testing.T) {
	for _, e := range portableErrnos {
		if got := Of(e.local); got != e.code {
			t.Errorf("Of(%v) = %d, want %d", e.local, got, e.code)
		}
		if text := e.code.Error(); text == "" || text == Generic.Error() {
			t.Errorf("Code(%d) has the text %q", e.code, text)
		}
	}
	if got := Of(syscall.Errno(0x70000000)); got != Generic {
		t.Errorf("Of a number that no system has = %d, want %d", got, Generic)
	}
	if got := Of(errors.Join(errors.New("x"), syscall.EPIPE)); got != -32 {
		t.Errorf("Of(joined EPIPE) = %d, want -32", got)
	}
}
