package lsp

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
)

// Bounds of what a client may send, and may leave unread.
const (
	maxMessage = 32 << 20 // bytes of one message
	maxSkipped = 1 << 30  // bytes of one that is too long; a longer one is a damaged header
	maxHeader  = 64 << 10 // bytes of one line of a header
	maxUnread  = 64 << 20 // bytes of all messages
)

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

// A message is a request, a notification, which has no ID, or a response, which has no Method.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
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

// A conn carries messages: JSON, each after a header with its length. A written message waits until
// the client reads it: one that writes first and reads later must not stop the server from reading.
type conn struct {
	in      *bufio.Reader
	done    sync.WaitGroup
	mu      sync.Mutex // guards the rest
	changed *sync.Cond
	unread  []byte
	closed  bool
	err     error // the first failure of the output
}

func newConn(in io.Reader, out io.Writer) *conn {
	c := &conn{in: bufio.NewReaderSize(in, maxHeader)}
	c.changed = sync.NewCond(&c.mu)
	c.done.Go(func() { c.drain(out) })
	return c
}

func (c *conn) drain(out io.Writer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for len(c.unread) == 0 && !c.closed {
			c.changed.Wait()
		}
		if len(c.unread) == 0 || c.err != nil {
			return
		}
		text := c.unread
		c.unread = nil
		c.mu.Unlock() // a client that does not read must not stop those who write
		_, err := out.Write(text)
		c.mu.Lock()
		c.err = err
		c.changed.Broadcast()
	}
}

// close waits until all is passed on, and returns the first failure.
func (c *conn) close() error {
	c.mu.Lock()
	c.closed = true
	c.changed.Broadcast()
	c.mu.Unlock()
	c.done.Wait()
	return c.failure()
}

// read returns the next message. An *rpcError is about that message alone: the next one can be read.
// Any other error is one of the stream, or io.EOF.
func (c *conn) read() (*message, error) {
	length, err := c.header()
	if err != nil {
		return nil, err
	}
	if length > maxMessage {
		if _, err := io.CopyN(io.Discard, c.in, length); err != nil {
			return nil, err
		}
		return nil, rpcErrorf(codeInvalidRequest, "a message of %d bytes; the limit is %d", length, maxMessage)
	}
	var body bytes.Buffer // grows with what really comes
	if _, err := io.CopyN(&body, c.in, length); err != nil {
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

// header reads up to the empty line after a header, and returns the length in it. Other text is skipped up
// to the next header, even one that begins within a line, because after a wrong length the next message may
// begin anywhere.
func (c *conn) header() (length int64, err error) {
	const field = "content-length:"
	length = -1
	for {
		line, err := c.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return 0, err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			if length >= 0 {
				return length, nil
			}
			continue
		}
		if i := bytes.LastIndex(bytes.ToLower(line), []byte(field)); i >= 0 && i+len(field) <= len(line) {
			n, err := strconv.ParseInt(string(bytes.TrimSpace(line[i+len(field):])), 10, 64)
			if err != nil || n < 0 || n > maxSkipped {
				return 0, rpcErrorf(codeParse, "the header has no length: %q", line[max(i, len(line)-100):])
			}
			length = n
		}
	}
}

func (c *conn) write(m map[string]any) {
	m["jsonrpc"] = "2.0"
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	err := enc.Encode(m)
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.unread) > maxUnread && c.err == nil {
		c.changed.Wait()
	}
	if c.err = cmp.Or(c.err, err); c.err == nil {
		c.unread = fmt.Appendf(c.unread, "Content-Length: %d\r\n\r\n%s", body.Len(), body.Bytes())
		c.changed.Broadcast()
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

// request sends a request, whose answer comes as a message.
func (c *conn) request(id, method string, params any) {
	c.write(map[string]any{"id": id, "method": method, "params": params})
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
