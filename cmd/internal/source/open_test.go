package source

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"pmtools/cmd/internal/cli"
	"pmtools/lib/option"
	"pmtools/lib/pmerr"
)

// TestError: the messages of sources that cannot be opened.
func TestError(t *testing.T) {
	tests := []struct {
		what string
		err  error
		want string
	}{
		{"Cannot connect to PMCD on host \"local:\"", pmerr.NYI,
			"Cannot connect to PMCD on host \"local:\": Functionality not yet implemented"},
		{"Cannot open archive \"a,b\"", fmt.Errorf("a.meta: %w", os.ErrNotExist),
			"Cannot open archive \"a,b\": No such file or directory"},
	}
	for _, test := range tests {
		if got := (&Error{test.what, test.err}).Error(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// TestOpen: the messages for sources that the options ask for.
func TestOpen(t *testing.T) {
	env := &cli.Env{
		Stderr:    new(strings.Builder),
		LookupEnv: func(string) (string, bool) { return "", false },
		Open:      func(string) (io.ReadCloser, error) { return nil, os.ErrNotExist },
	}
	for _, test := range []struct {
		options option.Options
		want    string
	}{
		{option.Options{HasArchive: true, Archive: "/no/such"}, "Cannot open archive \"/no/such\": No such file or directory"},
		{option.Options{HasHost: true, Host: "unix://no/such"},
			"Cannot connect to PMCD on host \"unix://no/such\": No such file or directory"},
	} {
		src, err := New(env, &option.Parser{Options: test.options}, "").WithArchives().OpenPlain(t.Context())
		if src != nil || err == nil || err.Error() != test.want {
			t.Errorf("%+v: %v, %v, want %s", test.options, src, err, test.want)
		}
	}
}
