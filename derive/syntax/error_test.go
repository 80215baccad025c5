package syntax

import (
	"errors"
	"fmt"
	"testing"
)

func TestErrorText(t *testing.T) {
	tests := []struct {
		err  Error
		want string
	}{
		{Error{0, "Illegal character"}, "1: Illegal character"},
		{Error{6, ""}, "7: syntax error"},
		{Error{-1, ""}, "0: syntax error"},
	}
	for _, tt := range tests {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestErrorList(t *testing.T) {
	var l ErrorList
	if err := l.Err(); err != nil {
		t.Fatalf("an empty list is the error %v", err)
	}
	if got, want := l.Error(), "no errors"; got != want {
		t.Errorf("empty list: %q, want %q", got, want)
	}
	l.Add(7, "seven")
	if got, want := l.Err().Error(), "8: seven"; got != want {
		t.Errorf("one error: %q, want %q", got, want)
	}
	l.Add(3, "three")
	l.Add(7, "again")
	l.Add(5, "five")
	if got, want := l.Error(), "4: three (and 2 more)"; got != want {
		t.Errorf("three errors: %q, want %q", got, want)
	}
	if got, want := fmt.Sprint(l.Errors()), "[4: three 6: five 8: seven]"; got != want {
		t.Errorf("errors are %s, want %s", got, want)
	}
}

func TestErrorListIsCapped(t *testing.T) {
	var l ErrorList
	for i := range 3 * MaxErrors {
		l.Add(Pos(i), "x")
	}
	if n := len(l.Errors()); n != MaxErrors {
		t.Errorf("%d errors are kept, want %d", n, MaxErrors)
	}
	if got, want := l.Error(), fmt.Sprintf("1: x (and %d more)", 3*MaxErrors-1); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestErrorListUnwraps(t *testing.T) {
	var l ErrorList
	l.Add(2, "two")
	var e *Error
	if !errors.As(fmt.Errorf("x: %w", l.Err()), &e) || e.Pos != 2 {
		t.Errorf("errors.As found %v", e)
	}
	var list *ErrorList
	if !errors.As(l.Err(), &list) || len(list.Errors()) != 1 {
		t.Errorf("errors.As found %v", list)
	}
}

func TestParseErrorsAreErrors(t *testing.T) {
	_, err := testConfig.Parse("a +")
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error is a %T", err)
	}
}
