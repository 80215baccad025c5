//go:build !race

package pdu

// raceEnabled is false: nothing adds to the allocations.
const raceEnabled = false
