//go:build !race

package pdu

// raceEnabled: nothing adds to what is allocated.
const raceEnabled = false
