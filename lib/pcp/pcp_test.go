package pcp

import (
	"testing"

	_ "pmtools/test/env"
)

func TestID(t *testing.T) {
	tests := []struct {
		id      ID
		text    string
		derived bool
	}{
		{0x00000000, "0.0.0", false},
		{0xffffffff, "PM_ID_NULL", false},
		{0x07400006, "29.0.6", false},
		{0x1dc00001, "119.0.1", false},
		{0x7fc00000, "0.*.*", false},
		{0x80000000, "0.0.0", false},
		{0x7fc07400, "29.*.*", false},
		{0x7fc07403, "511.29.3", true},
		{0x7fc00001, "511.0.1", true},
		{0x7fbfffff, "510.4095.1023", false},
		{0x7fffffff, "511.4095.1023", false},
		{0xfffffffe, "511.4095.1022", false},
		{NewID(600, 5000, 2000), "88.904.976", false},
		{NewID(511, 2048, 13), "511.2048.13", false},
	}
	for _, tt := range tests {
		if got := tt.id.String(); got != tt.text {
			t.Errorf("ID(%#08x).String() = %q, want %q", uint32(tt.id), got, tt.text)
		}
		if got := tt.id.IsDerived(); got != tt.derived {
			t.Errorf("%s.IsDerived() = %v", tt.id, got)
		}
		if again := NewID(tt.id.Domain(), tt.id.Cluster(), tt.id.Item()); again != tt.id&0x7fffffff {
			t.Errorf("%s taken apart and built is %s", tt.id, again)
		}
	}
}

func TestInDom(t *testing.T) {
	tests := []struct {
		indom InDom
		text  string
	}{
		{0x00000000, "0.0"}, {0x07400000, "29.0"}, {0x0f000001, "60.1"}, {0xffffffff, "PM_INDOM_NULL"},
		{0x7fc00007, "511.7"}, {0x7fffffff, "511.4194303"}, {0x80000001, "0.1"}, {0xfffffffe, "511.4194302"},
		{NewInDom(600, 0x400001), "88.1"},
	}
	for _, tt := range tests {
		if got := tt.indom.String(); got != tt.text {
			t.Errorf("InDom(%#08x).String() = %q, want %q", uint32(tt.indom), got, tt.text)
		}
	}
}

func TestTypeAndSem(t *testing.T) {
	types := []struct {
		typ        Type
		name, text string
		arithmetic bool
	}{
		{NoSupport, "NO_SUPPORT", "Not Supported", false},
		{Int32, "32", "32-bit int", true},
		{Uint32, "U32", "32-bit unsigned int", true},
		{Int64, "64", "64-bit int", true},
		{Uint64, "U64", "64-bit unsigned int", true},
		{Float, "FLOAT", "float", true},
		{Double, "DOUBLE", "double", true},
		{String, "STRING", "string", false},
		{Aggregate, "AGGREGATE", "aggregate", false},
		{AggregateStatic, "AGGREGATE_STATIC", "static aggregate", false},
		{Event, "EVENT", "event record array", false},
		{HighResEvent, "HIGHRES_EVENT", "highres event record array", false},
		{Unknown, "UNKNOWN", "??? (255)", false},
		{11, "???", "??? (11)", false},
		{-2, "???", "??? (-2)", false},
	}
	for _, tt := range types {
		if tt.typ.String() != tt.name || tt.typ.Text() != tt.text || tt.typ.Arithmetic() != tt.arithmetic {
			t.Errorf("type %d: %q %q %v", int32(tt.typ), tt.typ.String(), tt.typ.Text(), tt.typ.Arithmetic())
		}
	}
	sems := []struct {
		sem        Sem
		name, text string
	}{
		{Counter, "counter", "counter"}, {Instant, "instant", "instant"}, {Discrete, "discrete", "discrete"},
		{0, "???", "??? (0)"}, {2, "???", "??? (2)"}, {-1, "???", "??? (-1)"},
	}
	for _, tt := range sems {
		if tt.sem.String() != tt.name || tt.sem.Text() != tt.text {
			t.Errorf("semantics %d: %q %q", int32(tt.sem), tt.sem.String(), tt.sem.Text())
		}
	}
}
