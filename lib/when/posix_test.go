package when

import "testing"

// TestParseRule compares rules with the strict form that goes into zone data.
func TestParseRule(t *testing.T) {
	for _, c := range []struct{ name, rule, want string }{
		{"standard only", "EST5", "<EST>5:00:00"},
		{"sign", "EDT+4", "<EDT>4:00:00"},
		{"east", "AEDT-11", "<AEDT>-11:00:00"},
		{"minutes", "IST-5:30", "<IST>-5:30:00"},
		{"seconds", "LMT0:01:15", "<LMT>0:01:15"},
		{"quoted", "<+0330>-3:30", "<+0330>-3:30:00"},
		{"minutes are limited", "ABC5:99", "<ABC>5:59:00"},
		{"hours are limited", "ABC99", "<ABC>24:00:00"},
		{"zero-based days", "EST-11EST-10,87/2:00,297/2:00", "<EST>-11:00:00<EST>-10:00:00,87/2:00:00,297/2:00:00"},
		{"Julian days", "EST5EDT,J60,J300/3", "<EST>5:00:00<EDT>4:00:00,J60/2:00:00,J300/3:00:00"},
		{"weekdays", "CET-1CEST,M3.5.0,M10.5.0/3", "<CET>-1:00:00<CEST>-2:00:00,M3.5.0/2:00:00,M10.5.0/3:00:00"},
		{"negative time", "ABC3DEF,M3.5.0/-2,M10.5.0/-1", "<ABC>3:00:00<DEF>2:00:00,M3.5.0/-2:00:00,M10.5.0/-1:00:00"},
		{"own offset", "EST5EDT4:30,0,365", "<EST>5:00:00<EDT>4:30:00,0/2:00:00,365/2:00:00"},
		{"no dates", "FOO5BAR", "<FOO>5:00:00<BAR>4:00:00,M3.2.0/2:00:00,M11.1.0/2:00:00"},
		{"one date", "FOO5BAR,M3.3.0", "<FOO>5:00:00<BAR>4:00:00,M3.2.0/2:00:00,M11.1.0/2:00:00"},
		{"bad month", "FOO5BAR,M13.3.0,M1.1.1", "<FOO>5:00:00<BAR>4:00:00,M3.2.0/2:00:00,M11.1.0/2:00:00"},
		{"bad week", "FOO5BAR,M1.6.0,M1.1.1", "<FOO>5:00:00<BAR>4:00:00,M3.2.0/2:00:00,M11.1.0/2:00:00"},
		{"day zero", "FOO5BAR,J0,J1", "<FOO>5:00:00<BAR>4:00:00,M3.2.0/2:00:00,M11.1.0/2:00:00"},
		{"short second name", "FOO5BA", "<FOO>5:00:00"},
		{"empty", "", ""},
		{"short name", "AB5", ""},
		{"no offset", "ABC", ""},
		{"number in a name", "A1C5", ""},
		{"open quote", "<ABC5", ""},
		{"quoted, short", "<AB>5", ""},
		{"sign alone", "ABC+", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if r, ok := parseRule(c.rule); ok {
				got = r.footer()
			}
			if got != c.want {
				t.Errorf("parseRule(%q) = %q, want %q", c.rule, got, c.want)
			}
		})
	}
}

// TestTransitions checks the list of changes: sorted, and each to the other type.
func TestTransitions(t *testing.T) {
	for _, rule := range []string{"EST5EDT,M3.2.0,M11.1.0", "AEST-10AEDT,M10.1.0,M4.1.0/3", "FOO5BAR", "ABC5DEF,J1,J365/23"} {
		r, ok := parseRule(rule)
		if !ok {
			t.Fatal(rule)
		}
		list := r.transitions()
		if want := 1 + 2*(lastYear-firstYear+1); len(list) != want {
			t.Errorf("%s: %d transitions, want %d", rule, len(list), want)
		}
		for i := 1; i < len(list); i++ {
			if list[i].when <= list[i-1].when || list[i].kind == list[i-1].kind {
				t.Errorf("%s: transitions %d and %d: %v %v", rule, i-1, i, list[i-1], list[i])
			}
		}
	}
}
