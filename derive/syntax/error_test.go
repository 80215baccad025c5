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
		{Error{Pos: 0, Msg: "Illegal character"}, "1: Illegal character"},
		{Error{Pos: 6, Msg: ""}, "7: syntax error"},
		{Error{Pos: -1, Msg: ""}, "0: syntax error"},
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
