package digest

import (
	"testing"
	"time"

	"pmtools/derive/summary"
	"pmtools/lib/pcp"
	"pmtools/lib/when"
	_ "pmtools/test/env"
)

// TestTimeLayout checks that tables have the offset from UTC where the clocks show a time twice, and only there, and
// the day where there are several.
func TestTimeLayout(t *testing.T) {
	helsinki := when.LoadZone("EET-2EEST,M3.5.0/3,M10.5.0/4")
	const change = 1698541200 // 2023-10-29 04:00 summer time
	at := func(sec int64) pcp.Timestamp { return pcp.Timestamp{Sec: sec} }
	hours := func(begin int64) (rows []summary.Row) {
		for from := begin; from < begin+4*3600; from += 3600 {
			r := summary.Row{Figures: &summary.Figures{}, From: at(from), To: at(from + 3600)}
			r.Samples, r.MinTime, r.MaxTime = 1, at(from), at(from)
			rows = append(rows, r)
		}
		return rows
	}
	day := hours(change - 7200)[:1]
	day[0].From, day[0].To = at(change-4*3600), at(change+21*3600)
	days := append(hours(change+7200), hours(change+26*3600)...)
	days[0].MaxTime.Nsec = 5e8
	for _, tt := range []struct {
		rows []summary.Row
		want string
	}{
		{hours(change - 7200), "15:04:05-07:00"},
		{hours(change + 3600), "15:04:05"},
		{day, "15:04:05"},
		{days, time.DateTime + ".000"},
		{[]summary.Row{{Figures: &summary.Figures{}}}, "15:04:05"},
	} {
		if got := timeLayout(helsinki, tt.rows); got != tt.want {
			t.Errorf("from %v: %s, want %s", tt.rows[0].From, got, tt.want)
		}
	}
}
