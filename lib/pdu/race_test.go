//go:build race

package pdu

// raceEnabled is true: the race detector adds to the allocations.
const raceEnabled = true
