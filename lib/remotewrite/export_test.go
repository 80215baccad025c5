package remotewrite

import "time"

// SetClock makes a queue read the time from now.
func (q *Queue) SetClock(now func() time.Time) { q.now = now }
