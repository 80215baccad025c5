// Package pmcd is the client's side of a connection to a metrics daemon.
//
// [ParseSpec] reads a host specification, a [Dialer] connects to the daemon that it names: it tries
// the ports and sockets, and does the handshake with the wanted TLS, authentication and container.
// The resulting [Conn] has a method for each service of the daemon: names, descriptions, instances,
// texts, labels, values and stores. Methods for lists send one message, or several that do not wait
// for each other.
//
// An error that breaks the connection, such as a timeout, breaks it for good: the reply to the old
// request may still be under way, and would be taken for the reply to the next one. All later calls
// fail with pmerr.IPC; dial again.
package pmcd
