package lsp

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"sync"
)

// maxMessage is how many bytes a message may have.
const maxMessage = 32 << 20

// Error codes of JSON-RPC and of the protocol.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeNotInitialized = -32002
	codeFailed         = -32803
	codeCancelled      = -32800
	codeModified       = -32801
)

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

func rpcErrorf(code int, format string, args ...any) *rpcError {
	return &rpcError{code, fmt.Sprintf(format, args...)}
}

// A message is a request, or a notification, which has no ID.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

func (m *message) params() (*params, error) {
	p := new(params)
	if len(m.Params) == 0 {
		return p, nil
	}
	return p, unmarshal(m.Params, p)
}

func unmarshal(raw json.RawMessage, v any) error {
	if err := json.Unmarshal(raw, v); err != nil {
		return rpcErrorf(codeInvalidParams, "%v", err)
	}
	return nil
}

// A conn carries messages: JSON, each after a header with its length.
type conn struct {
	in  *textproto.Reader
	out io.Writer
	mu  sync.Mutex // guards the output
	err error      // the first failure of the output
}

func newConn(in io.Reader, out io.Writer) *conn {
	return &conn{in: textproto.NewReader(bufio.NewReader(in)), out: out}
}

// read returns the next message. An *rpcError is about that message alone: the next one can be read.
// Any other error is one of the stream, or io.EOF.
func (c *conn) read() (*message, error) {
	header, err := c.in.ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	length, err := strconv.ParseUint(header.Get("Content-Length"), 10, 64)
	if err != nil || length > maxMessage {
		return nil, fmt.Errorf("a message has no length up to %d in its header: %q", maxMessage, header.Get("Content-Length"))
	}
	var body bytes.Buffer // grows with what really comes
	if _, err := io.CopyN(&body, c.in.R, int64(length)); err != nil {
		return nil, err
	}
	m := new(message)
	if err := json.Unmarshal(body.Bytes(), m); err != nil {
		if _, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, rpcErrorf(codeParse, "the message is not JSON: %v", err)
		}
		return nil, rpcErrorf(codeInvalidRequest, "the message is not a request: %v", err)
	}
	if id := string(m.ID); id == "null" {
		m.ID = nil
	} else if id != "" && id[0] != '"' && id[0] != '-' && (id[0] < '0' || id[0] > '9') {
		return nil, rpcErrorf(codeInvalidRequest, "the id of a request is a number or a string")
	}
	return m, nil
}

func (c *conn) write(m map[string]any) {
	m["jsonrpc"] = "2.0"
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	err := enc.Encode(m)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err = cmp.Or(c.err, err); c.err == nil {
		_, c.err = fmt.Fprintf(c.out, "Content-Length: %d\r\n\r\n%s", body.Len(), body.Bytes())
	}
}

func (c *conn) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *conn) notify(method string, params any) {
	c.write(map[string]any{"method": method, "params": params})
}

// reply answers a request; an id of nil is that of a request that cannot be read.
func (c *conn) reply(id json.RawMessage, result any, err error) {
	if id == nil {
		id = json.RawMessage("null")
	}
	if err == nil {
		c.write(map[string]any{"id": id, "result": result})
		return
	}
	bad, ok := errors.AsType[*rpcError](err)
	if !ok {
		bad = rpcErrorf(codeFailed, "%v", err)
	}
	c.write(map[string]any{"id": id, "error": bad})
}
