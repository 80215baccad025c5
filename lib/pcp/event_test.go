package pcp

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"pmtools/lib/pmerr"
)

// unhex returns the bytes of a text in hexadecimal with any white space.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// eventText shows records for comparison.
func eventText(records []EventRecord) string {
	var b strings.Builder
	for _, r := range records {
		fmt.Fprintf(&b, "%d.%09d %s", r.Time.Sec, r.Time.Nsec, r.Flags)
		if r.Flags&EventMissed != 0 {
			fmt.Fprintf(&b, " %d", r.Missed)
		}
		for _, p := range r.Params {
			fmt.Fprintf(&b, " %s=", p.ID)
			if p.Odd.Bad {
				fmt.Fprintf(&b, "odd %v %x", p.Odd.Type, p.Odd.Blob)
			} else if text, err := p.Value.Text(); err == nil {
				fmt.Fprintf(&b, "%v:%s", p.Value.Type(), text)
			} else {
				fmt.Fprintf(&b, "%v:%x", p.Value.Type(), p.Value.Bytes())
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// highResPair is a point with one parameter, then three missed events.
const highResPair = `00000002
	00000000000003e8 00000000075bcd15 00000001 00000001
		07400081 01000008 00000007
	00000000000003e9 0000000000000005 80000000 00000003`

// allTypes has a parameter of each type, the last four of lengths that are not multiples of 4 or do
// not fit their type.
const allTypes = `00000001
	000003e8 000f423f 0000001a 0000000d
	07400001 00000008 fffffff2
	07400002 01000008 fffffff2
	07400003 0200000c fffffffffffffff2
	07400004 0300000c fffffffffffffff2
	07400005 04000008 3fc00000
	07400006 0500000c bff8000000000000
	07400007 06000006 36007e7e
	07400007 06000005 367e7e7e
	07400007 06000004
	07400008 07000007 0102037e
	07400009 08000008 01020304
	0740000a 02000008 01020304
	0740000b 00000004`

func TestUnpackEvents(t *testing.T) {
	tests := []struct {
		name string
		typ  Type
		hex  string
		want string
	}{
		{"none", Event, "00000000", ""},
		{"none, and more bytes", Event, "00000000 ffff", ""},
		{"point and missed", HighResEvent, highResPair, "1000.123456789 point 29.0.129=U32:7\n1001.000000005 missed 3\n"},
		{"all types", Event, allTypes, "1000.999999000 start,id,parent 29.0.1=32:-14 29.0.2=U32:4294967282 29.0.3=64:-14" +
			" 29.0.4=U64:18446744073709551602 29.0.5=FLOAT:1.5 29.0.6=DOUBLE:-1.5 29.0.7=STRING:6 29.0.7=STRING:6 29.0.7=STRING:" +
			" 29.0.8=AGGREGATE:010203 29.0.9=AGGREGATE_STATIC:01020304 29.0.10=odd 64 01020304 29.0.11=odd 32 \n"},
		{"no flags, no parameters", Event, "00000001 000003e8 00000000 00000000 00000000", "1000.000000000 \n"},
		{"before 1970", Event, "00000001 ffffffff 000f4240 00000001 00000000", "0.000000000 point\n"},
		{"negative microseconds", Event, "00000001 00000001 ffffffff 00000001 00000000", "0.999999000 point\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			records, err := UnpackEvents(BlobValue(tt.typ, unhex(t, tt.hex)))
			if got := eventText(records); err != nil || got != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestUnpackEventsErrors(t *testing.T) {
	tests := []struct {
		name string
		v    Value
		want pmerr.Code
	}{
		{"no value", Value{}, pmerr.Conv},
		{"in situ", WordValue(Uint32, 1), pmerr.Conv},
		{"number in a block", WordValue(Uint64, 1), pmerr.Type},
		{"string", BlobValue(String, []byte("text")), pmerr.Type},
		{"no count", BlobValue(Event, []byte{0, 0, 0}), pmerr.TooSmall},
		{"negative count", BlobValue(Event, unhex(t, "ffffffff")), pmerr.TooSmall},
		{"count without records", BlobValue(Event, unhex(t, "00000001")), pmerr.TooBig},
		{"huge count", BlobValue(Event, unhex(t, "7fffffff 000003e8 00000000 00000001 00000000")), pmerr.TooBig},
		{"cut head", BlobValue(HighResEvent, unhex(t, "00000001 000003e8 00000000 00000001 00000000")), pmerr.TooBig},
		{"missing parameter", BlobValue(Event, unhex(t, "00000001 000003e8 00000000 00000001 00000001")), pmerr.TooBig},
		{"huge number of parameters", BlobValue(Event, unhex(t, "00000001 000003e8 00000000 00000001 7fffffff 07400081 00000008 00000007")), pmerr.TooBig},
		{"negative number of parameters", BlobValue(Event, unhex(t, "00000001 000003e8 00000000 00000001 ffffffff")), pmerr.TooSmall},
		{"long parameter", BlobValue(Event, unhex(t, "00000001 000003e8 00000000 00000001 00000001 07400081 0600000c 00000007")), pmerr.TooBig},
		{"missing padding", BlobValue(Event, unhex(t, "00000001 000003e8 00000000 00000001 00000001 07400081 06000005 61")), pmerr.TooBig},
		{"parameter without its own word", BlobValue(Event, unhex(t, "00000001 000003e8 00000000 00000001 00000001 07400081 06000003")), pmerr.TooBig},
		{"missed and point", BlobValue(Event, unhex(t, "00000001 000003e8 00000000 80000001 00000000")), pmerr.Conv},
		{"event in an event", BlobValue(Event, unhex(t, "00000001 000003e8 00000000 00000001 00000001 07400081 09000008 00000000")), pmerr.Type},
		{"unknown parameter type", BlobValue(Event, unhex(t, "00000001 000003e8 00000000 00000001 00000001 07400081 ff000008 00000000")), pmerr.Type},
		{"damage comes before wrong types", BlobValue(Event, unhex(t, "00000001 000003e8 00000000 00000001 00000002 07400081 ff000008 00000000")), pmerr.TooBig},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			records, err := UnpackEvents(tt.v)
			if err != tt.want || records != nil {
				t.Errorf("got %v, %v, want %v", records, err, tt.want)
			}
		})
	}
}

func TestEventFlagsString(t *testing.T) {
	tests := []struct {
		flags EventFlags
		want  string
	}{
		{0, ""}, {1, "point"}, {3, "point,start"}, {0x1a, "start,id,parent"}, {4, "end"}, {0x1f, "point,start,end,id,parent"},
		{0x20, ""}, {0x21, "point"}, {EventMissed, "missed"}, {EventMissed | EventPoint, "missed"},
	}
	for _, tt := range tests {
		if got := tt.flags.String(); got != tt.want {
			t.Errorf("EventFlags(%#x).String() = %q, want %q", uint32(tt.flags), got, tt.want)
		}
	}
}

func TestParamColumn(t *testing.T) {
	tests := []struct {
		name  string
		param Param
		typ   Type
		want  string
	}{
		{"number", Param{Value: WordValue(Int32, i64(-14))}, Int32, "32:-14"},
		{"wide number", Param{Value: WordValue(Uint64, 1<<40)}, Uint64, "U64:1099511627776"},
		{"string", Param{Value: BlobValue(String, []byte("6"))}, String, "STRING:6"},
		{"unsigned read as signed", Param{Value: WordValue(Uint32, 0xfffffff2)}, Int32, "32:-14"},
		{"signed read as unsigned", Param{Value: WordValue(Int32, i64(-14))}, Uint32, "U32:4294967282"},
		{"bits of a float", Param{Value: WordValue(Uint32, 0x3fc00000)}, Float, "FLOAT:1.5"},
		{"number for a string", Param{Value: WordValue(Uint32, 7)}, String, "odd in situ 7"},
		{"number for a wide number", Param{Value: WordValue(Uint32, 7)}, Int64, "odd in situ 7"},
		{"float for a number", Param{Value: FloatValue(1.5)}, Int32, "odd FLOAT 3fc00000"},
		{"wide for another", Param{Value: WordValue(Int64, 1)}, Uint64, "odd 64 0000000000000001"},
		{"string for an aggregate", Param{Value: BlobValue(String, []byte("6"))}, Aggregate, "odd STRING 36"},
		{"odd already", Param{Odd: Odd{Bad: true, Type: Int64, Blob: []byte{1}}}, Int64, "odd 64 01"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.param.ID = 7
			v := tt.param.Column(tt.typ)
			if v.ID != 7 || v.Type != tt.typ {
				t.Fatalf("column %+v", v)
			} else if v.Len() != 1 || v.Insts[0] != NullInst {
				t.Fatalf("column %+v", v)
			}
			var got string
			switch x := v.Value(0); {
			case v.Odd != nil && v.Odd[0].InSitu:
				got = fmt.Sprintf("odd in situ %d", v.Odd[0].Word)
			case v.Odd != nil:
				got = fmt.Sprintf("odd %v %x", v.Odd[0].Type, v.Odd[0].Blob)
			default:
				text, _ := x.Text()
				got = x.Type().String() + ":" + text
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// FuzzUnpackEvents: event records and their parameters fit into their bytes, or there is an error and no record.
func FuzzUnpackEvents(f *testing.F) {
	f.Add(true, unhex(f, highResPair))
	f.Add(false, unhex(f, allTypes))
	f.Add(false, unhex(f, "00000000"))
	f.Add(false, unhex(f, "7fffffff 000003e8 00000000 80000000 00000000"))
	f.Add(true, []byte{})
	f.Fuzz(func(t *testing.T, highRes bool, b []byte) {
		typ, head := Event, 16
		if highRes {
			typ, head = HighResEvent, 24
		}
		records, err := UnpackEvents(BlobValue(typ, b))
		if err != nil {
			if records != nil {
				t.Fatal("records with an error")
			}
			return
		}
		// All records found fit into the bytes.
		size := 4 + len(records)*head
		for _, r := range records {
			for _, p := range r.Params {
				size += 8
				for typ := Int32; typ <= HighResEvent; typ++ {
					p.Column(typ)
				}
			}
		}
		if size > len(b) || int(binary.BigEndian.Uint32(b)) != len(records) {
			t.Errorf("%d records of %d bytes from %d", len(records), size, len(b))
		}
	})
}

func BenchmarkUnpackEvents(b *testing.B) {
	v := BlobValue(Event, unhex(b, allTypes))
	for b.Loop() {
		if _, err := UnpackEvents(v); err != nil {
			b.Fatal(err)
		}
	}
}
