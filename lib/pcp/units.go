package pcp

// Units are the dimensions and scales of a metric's values. The zero Units is
// dimensionless. Units are compared with ==.
type Units struct {
	DimSpace, DimTime, DimCount       int8  // powers, -8 to 7
	ScaleSpace, ScaleTime, ScaleCount int8  // space and time 0 to 15, count a power of ten -8 to 7
	Extra                             int8  // kind of extra unit, -16 to 15, negative in the denominator
	ExtraScale                        uint8 // scale of the extra unit, 0 to 7
}

// The scales of space, each 1024 times the one before.
const (
	Byte int8 = iota
	Kbyte
	Mbyte
	Gbyte
	Tbyte
	Pbyte
	Ebyte
	Zbyte
	Ybyte
)

// The scales of time.
const (
	Nsec int8 = iota
	Usec
	Msec
	Sec
	Min
	Hour
)

// The kinds of extra units.
const (
	Temperature int8 = 1
	Voltage     int8 = 2
	Current     int8 = 3
	Power       int8 = 4
)

// UnitsOf unpacks the 32-bit word of a descriptor on the wire or in an archive.
func UnitsOf(word uint32) Units {
	signed := func(shift, bits uint) int8 {
		return int8(int32(word<<(32-shift-bits)) >> (32 - bits))
	}
	return Units{
		DimSpace: signed(28, 4), DimTime: signed(24, 4), DimCount: signed(20, 4),
		ScaleSpace: int8(word >> 16 & 15), ScaleTime: int8(word >> 12 & 15), ScaleCount: signed(8, 4),
		Extra: signed(3, 5), ExtraScale: uint8(word & 7),
	}
}

// Word packs u into the 32-bit word of a descriptor.
func (u Units) Word() uint32 {
	return uint32(u.DimSpace&15)<<28 | uint32(u.DimTime&15)<<24 | uint32(u.DimCount&15)<<20 |
		uint32(u.ScaleSpace&15)<<16 | uint32(u.ScaleTime&15)<<12 | uint32(u.ScaleCount&15)<<8 |
		uint32(u.Extra&31)<<3 | uint32(u.ExtraScale&7)
}
