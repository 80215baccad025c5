package pmcd

import (
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// Authentication (wire.md W3.7): the daemon lists its mechanisms, the client names one, with a
// first message if the mechanism has one, and challenges and answers alternate until the client has
// answered the last challenge. The daemon does not report success.

// Codes of authentication that are found on this side.
const (
	codeNoMech     = pmerr.NYI - 4  // no common mechanism
	codeBadProt    = pmerr.NYI - 5  // a message of the exchange is invalid
	codeBadParam   = pmerr.NYI - 7  // user name or password is missing or invalid
	codeBadServer  = pmerr.NYI - 10 // the daemon does not know the password
	codeBadAuth    = pmerr.NYI - 13 // the daemon refuses the user name or password
	codeTooWeak    = pmerr.NYI - 15
	codeEncryption = pmerr.NYI - 16 // the mechanism sends the password in clear, and the connection is not encrypted
)

const maxRounds = 16

type mechanism struct {
	name  string
	clear bool // the mechanism sends the password in clear
	begin func(user, password string) (conversation, error)
}

// A conversation is the client's side of an exchange. step gets a challenge, nil at first, and returns the
// answer; done means that no other challenge is expected.
type conversation interface {
	step(challenge []byte) (answer []byte, done bool, err error)
}

// mechanisms returns the supported mechanisms, the strongest first.
func mechanisms() []mechanism {
	return []mechanism{
		{name: "SCRAM-SHA-512", begin: scramOf(sha512.New)},
		{name: "SCRAM-SHA-256", begin: scramOf(sha256.New)},
		{name: "PLAIN", clear: true, begin: func(user, password string) (conversation, error) {
			return plain{user, password}, nil
		}},
	}
}

// choose returns the requested mechanism, or the strongest that pmcd offers. private connections are
// encrypted or local.
func choose(offered string, method string, private bool) (mechanism, error) {
	offers := strings.Fields(offered)
	var known []string
	exposed := false
	for _, m := range mechanisms() {
		known = append(known, m.name)
		if method != "" && !strings.EqualFold(method, m.name) ||
			!slices.ContainsFunc(offers, func(o string) bool { return strings.EqualFold(o, m.name) }) {
			continue
		}
		if m.clear && !private {
			exposed = true
			continue
		}
		return m, nil
	}
	if exposed {
		return mechanism{}, because(codeEncryption, errors.New("PLAIN would send the password in clear: use pcps: or another mechanism"))
	}
	if method != "" {
		return mechanism{}, because(codeNoMech, fmt.Errorf("method %q: the daemon offers %q, known here are %q", method, offered, strings.Join(known, " ")))
	}
	return mechanism{}, because(codeNoMech, fmt.Errorf("the daemon offers %q, known here are %q", offered, strings.Join(known, " ")))
}

// authenticate runs the exchange. The daemon reports a refusal only in reply to the next request.
func (s *setup) authenticate(ctx context.Context, c *Conn, private bool) error {
	offered, err := challenge(ctx, c)
	if err != nil {
		return err
	}
	s.d.step("auth", "%s: got methods: %q", c.addr(), offered)
	s.d.step("attr", "__pmDecodeAttr [len=%d]: payload=%q", len(offered), offered)
	method, _ := s.spec.Attr(attrMethod)
	m, err := choose(string(offered), method.Value, private)
	if err != nil {
		return err
	}
	user, err := s.credential(ctx, attrUserName, "Username: ", true)
	if err != nil {
		return err
	}
	password, err := s.credential(ctx, attrPassword, "Password: ", false)
	if err != nil {
		return err
	}
	s.d.step("auth", "%s: chose %q, username=%s", c.addr(), m.name, user)
	conv, err := m.begin(user, password)
	if err != nil {
		return err
	}
	answer, done, err := conv.step(nil)
	answer = append([]byte(m.name+"\x00"), answer...)
	for round := 0; err == nil; round++ {
		s.d.step("attr", "__pmSendAttr [len=%d]", len(answer))
		if err := c.send(ctx, &pdu.Attr{Code: pdu.AttrSASL, Value: answer}); err != nil {
			return err
		}
		if done {
			return nil
		}
		if round == maxRounds {
			return because(codeBadProt, errors.New("the exchange does not end"))
		}
		var text []byte
		if text, err = challenge(ctx, c); err == nil {
			s.d.step("attr", "__pmDecodeAttr [len=%d]", len(text))
			answer, done, err = conv.step(text)
		}
	}
	return err
}

func challenge(ctx context.Context, c *Conn) ([]byte, error) {
	var a pdu.Attr
	if err := c.reply(ctx, &a); err != nil {
		return nil, err
	}
	if a.Code != pdu.AttrSASL {
		return nil, because(pmerr.IPC, fmt.Errorf("attribute %d during authentication", a.Code))
	}
	return a.Value, nil
}

func (s *setup) credential(ctx context.Context, key, prompt string, echo bool) (string, error) {
	if a, ok := s.spec.Attr(key); ok && a.Value != "" {
		return a.Value, nil
	}
	if text, ok := s.answers[key]; ok {
		return text, nil
	}
	if s.d.Prompt == nil || s.d.Console == "none" {
		code := codeBadParam
		if key == attrPassword {
			code = codeBadAuth // the daemon's answer to the empty password that the reference sends
		}
		return "", because(code, fmt.Errorf("no %s", key))
	}
	text, err := s.d.Prompt(ctx, s.d.Console, prompt, echo)
	if err != nil {
		return "", because(codeBadParam, err)
	}
	if strings.ContainsRune(text, 0) {
		return "", because(codeBadParam, fmt.Errorf("zero byte in %s", key))
	}
	s.answers[key] = text
	return text, nil
}

type plain struct{ user, password string }

func (p plain) step(challenge []byte) ([]byte, bool, error) {
	return []byte(p.user + "\x00" + p.user + "\x00" + p.password), true, nil
}
