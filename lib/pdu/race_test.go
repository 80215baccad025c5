//go:build race

package pdu

// raceEnabled: the race detector adds to what is allocated.
const raceEnabled = true
