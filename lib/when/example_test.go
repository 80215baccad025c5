package when_test

import (
	"fmt"
	"time"

	"pmtools/lib/when"
)

func ExampleSpec_Window() {
	recorded := when.Base{
		Start: time.Date(2018, 1, 1, 13, 10, 11, 0, time.UTC),
		End:   time.Date(2018, 1, 1, 16, 24, 23, 0, time.UTC),
		Now:   time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC),
	}
	w, err := when.Spec{Start: "@14:02", Finish: "-10min", Align: "15min"}.Window(recorded)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(w.Start.Format(time.TimeOnly), w.End.Format(time.TimeOnly))
	// Output: 14:15:00 16:14:23
}

func ExampleSyntaxError_Caret() {
	_, err := when.ParseInterval("4minutes 30mumble")
	fmt.Print(err.(*when.SyntaxError).Caret())
	// Output:
	// 4minutes 30mumble
	//            ^ -- unexpected value
}

func ExampleLoadZone() {
	at := time.Unix(902428472, 0)
	for _, tz := range []string{"EST5EDT", "EST", "EST-11EST-10,87/2:00,297/2:00"} {
		fmt.Println(at.In(when.LoadZone(tz)).Format(time.ANSIC))
	}
	// Output:
	// Thu Aug  6 14:34:32 1998
	// Thu Aug  6 18:34:32 1998
	// Fri Aug  7 04:34:32 1998
}
