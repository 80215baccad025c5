package derive

import "pmtools/derive/check"

// An InDomMap says which instance domains operators may combine although they
// differ (derived.md D7.6); its Equivalent is for Options. It may be shared.
type InDomMap = check.InDomMap

// An InDomError is one line of an indom.conf that cannot be used.
type InDomError = check.InDomError

// ParseInDomMap reads the text of an indom.conf. Any error voids it; the error
// holds an *InDomError for each bad line.
func ParseInDomMap(text string) (*InDomMap, error) { return check.ParseInDomMap(text) }
