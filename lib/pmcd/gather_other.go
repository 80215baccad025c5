//go:build !linux

package pmcd

func (*Conn) gather(int) {}
