package proc

import (
	"bytes"
	"time"
)

// texts are the contents of a kind of file of processes, kept while one request is answered: metrics
// of several tables need the same file.
type texts struct {
	known map[int32][]byte
	when  time.Time // of the first
}

// of returns the text of a process, which read reads the first time.
func (k *texts) of(pid int32, read func() ([]byte, error)) ([]byte, error) {
	if text, ok := k.known[pid]; ok {
		return text, nil
	}
	text, err := read()
	if err != nil {
		return nil, err
	}
	if k.known == nil {
		k.known = map[int32][]byte{}
	}
	if len(k.known) == 0 {
		k.when = time.Now()
	}
	k.known[pid] = bytes.Clone(text)
	return k.known[pid], nil
}
