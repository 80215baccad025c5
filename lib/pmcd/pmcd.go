// Package pmcd is the client's side of a connection to a metrics daemon.
//
// [ParseSpec] reads a host specification, a [Dialer] connects to what it names: it tries the ports
// and sockets, and does the handshake with TLS, authentication and container as they are asked for.
// The resulting [Conn] has a method for each service of the daemon: names, descriptions, instances,
// texts, labels, values and stores. What can be asked for in one message, or in several that do not
// wait for each other, is.
//
// An error that breaks the connection, a timeout too, breaks it for good: the reply to the old
// request may still be under way, and would be taken for that to the next. All later calls then
// fail with pmerr.IPC; dial again.
package pmcd
