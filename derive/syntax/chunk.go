package syntax

import "strings"

// A Chunk is one logical line of a configuration file together with its text. The texts of all
// chunks, one after the other, are the file.
type Chunk struct {
	Line  int    // the number of its first line, from 1
	Raw   string // its lines as they are, with their newlines
	Items []Item // what they mean; nothing for comments and empty lines
}

// Chunks cuts a configuration file as ParseFile does, and keeps what ParseFile leaves out.
func Chunks(name string, src []byte) []Chunk {
	p := fileParser{file: &File{Name: name}, src: string(src), line: 1}
	var list []Chunk
	for p.src != "" {
		before, n := p.src, len(p.file.Items)
		p.item()
		list = append(list, Chunk{p.place.Line, before[:len(before)-len(p.src)], p.file.Items[n:len(p.file.Items):len(p.file.Items)]})
	}
	return list
}

// Comment reports whether the chunk is a comment and nothing else.
func (c *Chunk) Comment() bool { return len(c.Items) == 0 && strings.HasPrefix(c.Raw, "#") }

// Definition returns the definition in the chunk, or nil.
func (c *Chunk) Definition() *Definition {
	for _, it := range c.Items {
		if d, ok := it.(*Definition); ok {
			return d
		}
	}
	return nil
}

// Place returns the line and the column, both from 1, of a byte of the text of the chunk's
// definition: of Definition.Text, not of the expression. Lines that were joined are counted as they
// are in the file; so are bytes.
func (c *Chunk) Place(off int) (line, column int) {
	line, column = c.Line, 1
	joined := -1 // offset into what follows the sign
	for i := 0; i < len(c.Raw); i++ {
		if strings.HasPrefix(c.Raw[i:], "\\\n") {
			i++
			line, column = line+1, 1
			continue
		}
		if joined >= 0 {
			if joined == off {
				break
			}
			joined++
		} else if c.Raw[i] == '=' {
			joined = 0
		}
		if c.Raw[i] == '\n' {
			break
		}
		column++
	}
	return line, column
}
