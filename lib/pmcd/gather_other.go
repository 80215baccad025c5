//go:build !linux

package pmcd

// gather may wait until several replies have come.
func (*Conn) gather(int) {}
