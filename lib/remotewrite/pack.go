package remotewrite

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A packer stores Blocks as texts: compressed, and live ones as differences to an earlier one of their slot, their key.
type packer struct {
	zip  *zstd.Encoder
	keys map[int]*packerKey // by slots
	uses int                // of a key; 0 means maxUses
}

type packerKey struct {
	*keyBlock
	number uint64 // of its file
	uses   int
}

const (
	maxUses = 63       // of a key: so many files are lost with it if it is damaged
	maxBody = 64 << 20 // of a Block, without compression
)

// pack returns the text of a Block, and the number of its key. That is its own number if it is not a difference.
func (p *packer) pack(b *Block, number uint64) (text []byte, key uint64, err error) {
	if p.zip == nil {
		if p.zip, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false)); err != nil {
			return nil, 0, err
		}
	}
	if k := p.keys[b.slot]; b.Alike && k != nil && k.uses < cmp.Or(p.uses, maxUses) {
		return p.zip.EncodeAll(b.encode(k.keyBlock), nil), k.number, nil
	}
	return p.zip.EncodeAll(b.encode(nil), nil), number, nil
}

// packed notes that a text has been stored. A Block that is not a difference becomes the key of later ones; old is the number of the
// key that it replaces.
func (p *packer) packed(b *Block, number, key uint64) (old uint64, replaced bool) {
	switch k := p.keys[b.slot]; {
	case !b.Alike:
		return 0, false
	case key != number:
		k.uses++
		return 0, false
	case k != nil:
		old, replaced = k.number, true
	case p.keys == nil:
		p.keys = make(map[int]*packerKey)
	}
	p.keys[b.slot] = &packerKey{keyBlock: newKey(b), number: number}
	return old, replaced
}

// forget makes a Block no key any more.
func (p *packer) forget(number uint64) {
	for slot, k := range p.keys {
		if k.number == number {
			delete(p.keys, slot)
		}
	}
}

// An unpacker makes Blocks of texts. It keeps the keys that were last needed.
type unpacker struct {
	read func(key uint64) (text []byte, err error)

	mu   sync.Mutex
	zip  *zstd.Decoder
	keys []unpackerKey
}

type unpackerKey struct {
	*keyBlock
	number uint64
}

const maxUnpackerKeys = 32

// unpack returns the Block of a text.
func (u *unpacker) unpack(text []byte, number, key uint64) (*Block, error) {
	k, err := u.key(number, key)
	if err != nil {
		return nil, err
	}
	return u.block(text, k)
}

func (u *unpacker) block(text []byte, key *keyBlock) (*Block, error) {
	body, err := u.zip.DecodeAll(text, nil)
	if err != nil {
		return nil, err
	}
	return decode(body, key)
}

// key returns a key, nil for a Block that needs none.
func (u *unpacker) key(number, key uint64) (*keyBlock, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.zip == nil {
		var err error
		if u.zip, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(parallel), zstd.WithDecoderMaxMemory(maxBody)); err != nil {
			return nil, err
		}
	}
	if key == number {
		return nil, nil
	}
	if i := slices.IndexFunc(u.keys, func(k unpackerKey) bool { return k.number == key }); i >= 0 {
		return u.keys[i].keyBlock, nil
	}
	text, err := u.read(key)
	var b *Block
	if err == nil {
		b, err = u.block(text, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("it is stored as the difference to another file: %w", err)
	}
	if len(u.keys) >= maxUnpackerKeys {
		u.keys = slices.Delete(u.keys, 0, 1)
	}
	k := newKey(b)
	k.index = nil
	u.keys = append(u.keys, unpackerKey{k, key})
	return k, nil
}
