package proc

import "time"

// texts are the contents of a kind of file of processes, kept while one request is answered: metrics
// of several tables need the same file.
type texts struct {
	known  map[int32][]byte
	blocks [][]byte  // memory of the texts; those from block on are free
	block  int       // the one that is filled
	when   time.Time // of the first
}

const textBlock = 64 << 10 // bytes, or one longer text; memory that grows would be copied again and again

func (k *texts) reset() {
	clear(k.known)
	k.block = 0
	for i := range k.blocks {
		k.blocks[i] = k.blocks[i][:0]
	}
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
	k.known[pid] = k.keep(text)
	return k.known[pid], nil
}

func (k *texts) keep(text []byte) []byte {
	for k.block < len(k.blocks) && cap(k.blocks[k.block])-len(k.blocks[k.block]) < len(text) {
		k.block++
	}
	if k.block == len(k.blocks) {
		k.blocks = append(k.blocks, make([]byte, 0, max(textBlock, len(text))))
	}
	b := &k.blocks[k.block]
	start := len(*b)
	*b = append(*b, text...)
	return (*b)[start:len(*b):len(*b)]
}
