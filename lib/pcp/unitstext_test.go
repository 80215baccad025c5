package pcp

import "testing"

// unitTexts are the rows of values.md V4.
var unitTexts = []struct {
	word uint32
	text string
}{
	{0x00000000, ""},
	{0x00032000, ""},
	{0x10000000, "byte"},
	{0x10010000, "Kbyte"},
	{0x10020000, "Mbyte"},
	{0x10030000, "Gbyte"},
	{0x10040000, "Tbyte"},
	{0x10050000, "Pbyte"},
	{0x10060000, "Ebyte"},
	{0x10070000, "Zbyte"},
	{0x10080000, "Ybyte"},
	{0x10090000, "space-9"},
	{0x100f0000, "space-15"},
	{0x01000000, "nanosec"},
	{0x01001000, "microsec"},
	{0x01002000, "millisec"},
	{0x01003000, "sec"},
	{0x01004000, "min"},
	{0x01005000, "hour"},
	{0x01006000, "time-6"},
	{0x0100f000, "time-15"},
	{0x00100000, "count"},
	{0x00100100, "count x 10"},
	{0x00100200, "count x 10^2"},
	{0x00100300, "count x 10^3"},
	{0x00100700, "count x 10^7"},
	{0x00100f00, "count x 10^-1"},
	{0x00100800, "count x 10^-8"},
	{0x00000100, "count x 10"},
	{0x00000300, "count x 10^3"},
	{0x00000d00, "count x 10^-3"},
	{0x1f023000, "Mbyte / sec"},
	{0x1e022000, "Mbyte / millisec^2"},
	{0x0f103000, "count / sec"},
	{0x01f05600, "hour / count x 10^6"},
	{0x01f00000, "nanosec / count"},
	{0xf0000000, "/ byte"},
	{0x0f003000, "/ sec"},
	{0x00f00000, "/ count"},
	{0x00f00100, "/ count x 10"},
	{0xfff13300, "/ Kbyte sec count x 10^3"},
	{0x11111100, "Kbyte microsec count x 10"},
	{0x20000000, "byte^2"},
	{0x22222200, "Mbyte^2 millisec^2 count x 10^2^2"},
	{0x77785700, "Ybyte^7 hour^7 count x 10^7^7"},
	{0x88885800, "/ Ybyte^8 hour^8 count x 10^-8^8"},
	{0x787ff800, "space-15^7 count x 10^-8^7 / time-15^8"},
	{0xe1003000, "sec / byte^2"},
	{0x10f00000, "byte / count"},
	{0x2d134000, "Gbyte^2 count / min^3"},
	{0x1f000000, "byte / nanosec"},
	{0x0e003000, "/ sec^2"},
	{0x02003000, "sec^2"},
	{0x00200000, "count^2"},
	{0x00e00300, "/ count x 10^3^2"},
	{0x1ff00000, "byte / nanosec count"},
	{0xf1103000, "sec count / byte"},
	{0x10010300, "Kbyte"},
	{0x01003e00, "sec"},
	{0x10110000, "Kbyte count"},
	{0x01102200, "millisec count x 10^2"},
	{0x00000009, "temperature (C)"},
	{0x0000000a, "temperature (F)"},
	{0x0000000b, "temperature (K)"},
	{0x00000011, "voltage (V)"},
	{0x00000012, "voltage (mV)"},
	{0x00000013, "voltage (uV)"},
	{0x00000019, "current (A)"},
	{0x0000001a, "current (mA)"},
	{0x0000001b, "current (uA)"},
	{0x00000021, "power (kW)"},
	{0x00000022, "power (W)"},
	{0x00000023, "power (mW)"},
	{0x00000024, "power (uW)"},
	{0x00000029, "extra-5"},
	{0x0000007f, "extra-15"},
	{0x000000f9, "/ temperature (C)"},
	{0x000000e2, "/ power (W)"},
	{0x00000080, "/ extra-16"},
	{0x01003022, "power (W) sec"},
	{0x0f003009, "temperature (C) / sec"},
	{0x100100f2, "Kbyte / voltage (mV)"},
	{0xff0130f2, "/ voltage (mV) Kbyte sec"},
	{0x1f12301b, "current (uA) Mbyte count / sec"},
	{0x00000309, "temperature (C)"},
	{0x00000003, ""},
	{0x0000000c, "temperature (scale-4)"}, // cut short by the reference
	{0x00000020, "power (scale-0)"},
}

func TestUnitsString(t *testing.T) {
	for _, tt := range unitTexts {
		if got := UnitsOf(tt.word).String(); got != tt.text {
			t.Errorf("UnitsOf(%#08x).String() = %q, want %q", tt.word, got, tt.text)
		}
	}
}

func TestUnitsAppend(t *testing.T) {
	got := UnitsOf(0x1f023000).Append([]byte("in "))
	if want := "in Mbyte / sec"; string(got) != want {
		t.Errorf("Append gives %q, want %q", got, want)
	}
	got = UnitsOf(0x0f003000).Append([]byte("in "))
	if want := "in / sec"; string(got) != want {
		t.Errorf("Append gives %q, want %q", got, want)
	}
}

func TestUnitsAppendAllocates(t *testing.T) {
	buf := make([]byte, 0, 128)
	u := UnitsOf(0x1f12301b)
	if n := testing.AllocsPerRun(100, func() { buf = u.Append(buf[:0]) }); n != 0 {
		t.Errorf("Append allocates %v times", n)
	}
}

func TestUnitsWord(t *testing.T) {
	for _, tt := range unitTexts {
		if got := UnitsOf(tt.word).Word(); got != tt.word {
			t.Errorf("UnitsOf(%#08x).Word() = %#08x", tt.word, got)
		}
	}
	want := Units{DimSpace: 1, DimTime: -1, ScaleSpace: Mbyte, ScaleTime: Sec}
	if got := UnitsOf(0x1f023000); got != want {
		t.Errorf("UnitsOf(0x1f023000) = %+v, want %+v", got, want)
	}
}

func TestUnitsDimensionless(t *testing.T) {
	tests := []struct {
		word uint32
		want bool
	}{
		{0, true}, {0x00032000, true}, {0x00000300, true}, {0x00000003, true},
		{0x10000000, false}, {0x0f000000, false}, {0x00100000, false}, {0x00000009, false},
	}
	for _, tt := range tests {
		if got := UnitsOf(tt.word).Dimensionless(); got != tt.want {
			t.Errorf("UnitsOf(%#08x).Dimensionless() = %v, want %v", tt.word, got, tt.want)
		}
	}
}
