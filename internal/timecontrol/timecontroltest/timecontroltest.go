// Package timecontroltest is a time control server that plays a script to its first client.
package timecontroltest

import (
	"encoding/binary"
	"io"
	"net"
	"time"

	"pmtools/internal/timecontrol"
)

const patience = 2 * time.Second

// A Server is a time control server.
type Server struct {
	Port     int
	listener net.Listener
	done     chan []timecontrol.Packet
}

// Listen starts a server. play has the client's connection, which ends when it returns.
func Listen(play func(*Player)) (*Server, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{l.Addr().(*net.TCPAddr).Port, l, make(chan []timecontrol.Packet, 1)}
	go s.serve(play)
	return s, nil
}

func (s *Server) serve(play func(*Player)) {
	p := &Player{}
	defer func() { s.done <- p.received }()
	conn, err := s.listener.Accept()
	if err != nil {
		return
	}
	defer conn.Close()
	p.conn = conn
	play(p)
}

// Close waits for the end of the play, unless no client has connected, ends the server, and returns
// the client's packets.
func (s *Server) Close() []timecontrol.Packet {
	s.listener.Close()
	return <-s.done
}

// A Player is a server's side of a connection.
type Player struct {
	conn     net.Conn
	received []timecontrol.Packet
}

// Greet receives the first packet and acknowledges it, then receives the one that shows the window.
func (p *Player) Greet() {
	if first := p.Receive(); first != nil {
		p.Send(&timecontrol.Packet{Command: timecontrol.Ack, Kind: first.Kind})
		p.Receive()
	}
}

// Send sends a packet. A client that has gone is noticed by Receive.
func (p *Player) Send(packet *timecontrol.Packet) {
	if b, err := packet.Encode(nil); err == nil {
		p.Raw(b)
	}
}

// Raw sends bytes.
func (p *Player) Raw(b []byte) { _, _ = p.conn.Write(b) }

// Receive returns the client's next packet, nil if there is none.
func (p *Player) Receive() *timecontrol.Packet {
	_ = p.conn.SetReadDeadline(time.Now().Add(patience))
	head := make([]byte, 8)
	if _, err := io.ReadFull(p.conn, head); err != nil {
		return nil
	}
	size := binary.NativeEndian.Uint32(head[4:])
	if size < 8 || size > 1<<16 {
		return nil
	}
	b := append(head, make([]byte, size-8)...)
	var packet timecontrol.Packet
	if _, err := io.ReadFull(p.conn, b[8:]); err != nil || packet.Decode(b) != nil {
		return nil
	}
	p.received = append(p.received, packet)
	return &packet
}
