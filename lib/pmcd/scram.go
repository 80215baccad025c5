package pmcd

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Bounds of the iterations that pmcd requests in SCRAM: fewer would make guessing the password cheap, more
// would take minutes.
const (
	minIterations = 4096
	maxIterations = 1 << 20
)

// A scramClient is the client's side of SCRAM (RFC 5802) without channel binding: each side proves that it
// knows the password.
type scramClient struct {
	hash           func() hash.Hash
	user, password string // prepared
	nonce          string
	steps          int
	proof          []byte // the proof that the daemon must send
}

func scramOf(h func() hash.Hash) func(user, password string) (conversation, error) {
	return func(user, password string) (conversation, error) {
		if user == "" || strings.ContainsFunc(user+password, unicode.IsControl) {
			return nil, because(codeBadParam, errors.New("no user name, or a control character in it or in the password"))
		}
		// Different spellings of a text become equal. SASLprep (RFC 4013) would also take out characters that
		// cannot be seen, and refuse some.
		s := &scramClient{hash: h, user: norm.NFKC.String(user), password: norm.NFKC.String(password)}
		s.user = strings.NewReplacer("=", "=3D", ",", "=2C").Replace(s.user)
		s.nonce = rand.Text()
		return s, nil
	}
}

func (s *scramClient) head() string { return "n,a=" + s.user + "," }

func (s *scramClient) bare() string { return "n=" + s.user + ",r=" + s.nonce }

// step sends the name, then the proof, then checks the daemon's proof.
func (s *scramClient) step(challenge []byte) (answer []byte, done bool, err error) {
	s.steps++
	switch s.steps {
	case 1:
		return []byte(s.head() + s.bare()), false, nil
	case 2:
		answer, err = s.prove(string(challenge))
		return answer, false, err
	}
	return nil, true, s.verify(string(challenge))
}

func (s *scramClient) prove(challenge string) ([]byte, error) {
	fields := strings.Split(challenge, ",")
	if len(fields) < 3 {
		return nil, because(codeBadProt, fmt.Errorf("challenge of %d fields", len(fields)))
	}
	nonce, ok1 := strings.CutPrefix(fields[0], "r=")
	salt, ok2 := strings.CutPrefix(fields[1], "s=")
	count, ok3 := strings.CutPrefix(fields[2], "i=")
	if !ok1 || !ok2 || !ok3 {
		return nil, because(codeBadProt, errors.New("a challenge without nonce, salt and iterations"))
	}
	n, err := strconv.Atoi(count)
	switch {
	case err != nil:
		return nil, because(codeBadProt, fmt.Errorf("iterations %q", count))
	case n < minIterations, n > maxIterations:
		return nil, because(codeTooWeak, fmt.Errorf("%d iterations, %d to %d are accepted", n, minIterations, maxIterations))
	}
	if !strings.HasPrefix(nonce, s.nonce) {
		return nil, because(codeBadProt, errors.New("the nonce is not an answer to ours"))
	}
	raw, err := base64.StdEncoding.DecodeString(salt)
	if err != nil {
		return nil, because(codeBadProt, fmt.Errorf("salt: %w", err))
	}
	salted, err := pbkdf2.Key(s.hash, s.password, raw, n, s.hash().Size())
	if err != nil {
		return nil, because(codeBadParam, err)
	}
	final := "c=" + base64.StdEncoding.EncodeToString([]byte(s.head())) + ",r=" + nonce
	all := s.bare() + "," + challenge + "," + final
	key := s.sum(salted, "Client Key")
	stored := s.hash()
	stored.Write(key)
	for i, b := range s.sum(stored.Sum(nil), all) {
		key[i] ^= b
	}
	s.proof = s.sum(s.sum(salted, "Server Key"), all)
	return []byte(final + ",p=" + base64.StdEncoding.EncodeToString(key)), nil
}

func (s *scramClient) verify(challenge string) error {
	field, _, _ := strings.Cut(challenge, ",")
	if reason, refused := strings.CutPrefix(field, "e="); refused {
		return because(codeBadAuth, fmt.Errorf("the daemon refuses: %q", reason))
	}
	text, ok := strings.CutPrefix(field, "v=")
	proof, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || !hmac.Equal(proof, s.proof) {
		return because(codeBadServer, errors.New("the daemon does not know the password"))
	}
	return nil
}

func (s *scramClient) sum(key []byte, text string) []byte {
	h := hmac.New(s.hash, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
