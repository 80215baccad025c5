// Package version says which PCP release this module is compatible with, in one
// place.
package version

// PCP is the release of the reference implementation whose behaviour, messages
// and formats are reproduced; -V of the commands prints it.
const PCP = "7.2.2"
