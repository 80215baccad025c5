package syntax

import (
	"errors"
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

func TestParseErrorsAreErrors(t *testing.T) {
	_, err := testConfig.Parse("a +")
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error is a %T", err)
	}
}
