package pmns

import (
	"fmt"
	"io/fs"
	"os"

	"pmtools/lib/pmerr"
	"pmtools/lib/safefile"
)

// Options configure the reading of a name space file. Nil stands for the zero value.
type Options struct {
	// Preprocess expands comments, #include, #define and their like, but not #shell: a name space file
	// runs nothing. Without Preprocess all are errors.
	Preprocess bool
	// DupOK allows several names for one metric.
	DupOK bool
	// ReadFile reads a file; nil means the file system, and files of at most 64 MiB.
	ReadFile func(name string) ([]byte, error)
	// IncludeDirs are searched for included files after the name as it is and the directory of the
	// first file.
	IncludeDirs []string
}

// Load reads the name space file with the given name. An error is an *[Error].
func Load(name string, opts *Options) (*Tree, error) {
	if opts == nil {
		opts = &Options{}
	}
	text, err := opts.read(name)
	if err != nil {
		e := newError(name, fmt.Sprintf("Cannot open %q", name))
		e.err = err
		return nil, e
	}
	return Parse(name, text, opts)
}

// Parse reads a name space from text; name is used in messages, and its directory in searching for
// included files. An error is an *[Error].
func Parse(name string, text []byte, opts *Options) (*Tree, error) {
	if opts == nil {
		opts = &Options{}
	}
	var failed string
	if opts.Preprocess {
		text, failed = preprocess(name, text, opts)
	}
	p := &parser{sc: scanner{file: name, text: text}}
	if msg := p.parse(); msg != "" {
		return nil, &Error{File: name, Preprocessor: failed, Message: msg, err: pmerr.PMNS}
	}
	if failed != "" {
		e := newError(name, "pmcpp returned non-zero exit status")
		e.Preprocessor = failed
		return nil, e
	}
	t, msg := link(p.groups)
	if msg != "" {
		return nil, &Error{File: name, Message: msg, err: pmerr.PMNS}
	}
	if !opts.DupOK {
		if err := t.checkUnique(); err != nil {
			return nil, newError(name, err.Error()+"\n")
		}
	}
	return t, nil
}

const maxFile = 64 << 20 // bytes

func (o *Options) read(name string) ([]byte, error) {
	if o.ReadFile != nil {
		return o.ReadFile(name)
	}
	return safefile.ReadStream(name, maxFile)
}

// include reads an included file. It rejects pipes, which could block forever.
func (o *Options) include(name string) ([]byte, error) {
	if o.ReadFile == nil {
		if info, err := os.Stat(name); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
			return nil, safefile.ErrKind
		}
	}
	return o.read(name)
}

// An Error is the reason why a name space file could not be loaded. It matches pmerr.PMNS or the
// error of reading the file.
type Error struct {
	File string
	// Preprocessor holds the preprocessor's messages; they belong on standard error. It is empty,
	// or lines with their newlines.
	Preprocessor string
	// Message is the reference's message: lines with their newlines.
	Message string
	err     error
}

// Error returns the name of the file and the error without its details.
func (e *Error) Error() string {
	return e.File + ": " + e.err.Error()
}

// Unwrap returns pmerr.PMNS, or the error of reading the file.
func (e *Error) Unwrap() error { return e.err }

const prefix = "Error Parsing ASCII PMNS: " // of each message

func newError(file, text string) *Error {
	return &Error{File: file, Message: prefix + text + "\n", err: pmerr.PMNS}
}
