package remotewrite

import (
	"errors"
	"slices"
)

// A liveKey is a key that the next live requests of its slot are stored as differences to.
type liveKey struct {
	*Block
	number uint64
	uses   int
}

// pack returns what is stored of a request, and the number of its key: its own if it is not a difference.
func (q *Queue) pack(b *Block) (text []byte, key uint64) {
	if k := q.keys[b.slot]; b.Alike && k != nil && k.uses < q.uses {
		return q.zip.EncodeAll(b.encode(k.Block), nil), k.number
	}
	return q.zip.EncodeAll(b.encode(nil), nil), q.next
}

// packed notes that a request has been stored. A live one that is not a difference becomes the key of later ones.
func (q *Queue) packed(b *Block, e *entry) {
	k := q.keys[b.slot]
	switch {
	case !b.Alike:
	case e.key != e.number:
		k.uses++
	default:
		q.keys[b.slot] = &liveKey{Block: b.key(), number: e.number}
		if k != nil {
			q.release(k.number)
		}
	}
}

// isKey reports whether requests are differences to that of a number, or will be.
func (q *Queue) isKey(number uint64) bool {
	for _, k := range q.keys {
		if k.number == number {
			return true
		}
	}
	return slices.ContainsFunc(q.list, func(e *entry) bool { return e.key == number && e.number != number })
}

// release removes an acknowledged key that is not needed any more.
func (q *Queue) release(number uint64) {
	if e := q.find(number); e != nil && e.state == keyOnly && !q.isKey(number) {
		q.removeFile(e)
		q.drop(e)
	}
}

func (q *Queue) releaseAll() {
	for _, e := range slices.Clone(q.list) {
		q.release(e.number)
	}
}

var errNoKey = errors.New("that file is damaged or gone")

// errNoKey is the error of a difference to a file that is not there.
// loadKey returns the samples of a key.
func (q *Queue) loadKey(number uint64) (*Block, error) {
	q.mu.Lock()
	b, e := q.read[number], q.find(number)
	q.mu.Unlock()
	if b != nil {
		return b, nil
	}
	if e == nil {
		return nil, errNoKey
	}
	b, err := q.block(e)
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.read) >= maxRead {
		clear(q.read)
	}
	q.read[number] = b
	return b, nil
}
