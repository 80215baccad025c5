// Package version names this release of pmtools and the release of PCP it is compatible with.
package version

// Version is the release of pmtools, as a semantic version. CHANGELOG.md lists what changed.
const Version = "0.2.0"

// PCP is the release of the reference implementation whose behaviour, messages and formats are
// reproduced; -V of the four compatible commands prints it.
const PCP = "7.2.2"
