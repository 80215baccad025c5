package proc

import (
	"bytes"

	"pmtools/lib/builtin/internal/procfs"
)

// exiting is the command line of a process that has gone or is ending.
const exiting = "<exiting>"

// args returns the command line of a process as text.
func (p *collector) args(pid int32) []byte {
	text, _ := p.lines.of(pid, func() ([]byte, error) { return p.readArgs(pid), nil }) // it has no error
	return text
}

func (p *collector) readArgs(pid int32) []byte {
	text, _ := p.Root.Read(fileOf(pid, "cmdline")) // the kernel may hide it
	if args := shownArgs(text); len(args) > 0 {
		return args
	}
	return p.kernelName(pid)
}

// kernelName returns the name of a kernel thread, or of a process that is ending.
func (p *collector) kernelName(pid int32) []byte {
	text, err := p.Root.Read(fileOf(pid, "status"))
	if err != nil {
		return []byte(exiting)
	}
	name, _ := procfs.Line(text[:min(len(text), maxArgs)]) // "Name:", a tab, and the name
	if len(text) == 0 {
		return []byte(exiting)
	}
	return append(append([]byte{'('}, name[min(len("Name:\t"), len(name)):]...), ')')
}

const maxArgs = 1 << 16 // bytes of a command line that are shown

// shownArgs makes text of a command line, in place: arguments are separated by blanks, sequences
// that control terminals are dropped, and other control characters become blanks.
func shownArgs(text []byte) []byte {
	text = bytes.TrimRight(text[:min(len(text), maxArgs)], "\x00")
	out := text[:0]
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == 0x1b:
			i += escapeLen(text[i:]) - 1
		case c < ' ' || c == 0x7f:
			out = append(out, ' ')
		default:
			out = append(out, c)
		}
	}
	return out
}

// escapeLen returns the length of the control sequence that text begins with: "\033[1;31m",
// "\033]0;title\007", or two characters.
func escapeLen(text []byte) int {
	if len(text) < 2 {
		return len(text)
	}
	end := -1
	switch text[1] {
	case '[':
		end = bytes.IndexFunc(text[2:], func(r rune) bool { return r >= '@' && r <= '~' })
	case ']':
		end = bytes.IndexByte(text[2:], 0x07)
	default:
		return 2
	}
	if end < 0 {
		return len(text)
	}
	return 2 + end + 1
}
