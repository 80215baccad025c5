package proc

import "time"

// texts are the contents of a kind of file of processes, kept while one request is answered: metrics
// of several tables need the same file.
type texts struct {
	all   []byte
	spans map[int32][2]int
	when  time.Time // of the first
}

func (k *texts) reset() {
	k.all = k.all[:0]
	clear(k.spans)
}

// of returns the text of a process, which read reads the first time.
func (k *texts) of(pid int32, read func() ([]byte, error)) ([]byte, error) {
	if at, ok := k.spans[pid]; ok {
		return k.all[at[0]:at[1]:at[1]], nil
	}
	text, err := read()
	if err != nil {
		return nil, err
	}
	if k.spans == nil {
		k.spans = map[int32][2]int{}
	}
	if len(k.spans) == 0 {
		k.when = time.Now()
	}
	start := len(k.all)
	k.all = append(k.all, text...)
	k.spans[pid] = [2]int{start, len(k.all)}
	return text, nil
}
