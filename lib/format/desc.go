package format

import (
	"strconv"

	"pmtools/lib/pcp"
)

// AppendInDom appends an instance domain as "29.1 0x7400001" or, if decimal is set, as "29.1 =
// 121634817 = 0x7400001".
func AppendInDom(dst []byte, d pcp.InDom, decimal bool) []byte {
	dst = d.Append(dst)
	if decimal {
		dst = strconv.AppendUint(append(dst, " = "...), uint64(d), 10)
		dst = append(dst, " ="...)
	}
	return strconv.AppendUint(append(dst, " 0x"...), uint64(d), 16)
}

// AppendDesc appends the two lines of a description, newlines included, as pminfo prints it. (The
// reference's pmPrintDesc leaves out all but the type if that is not supported; pminfo does not.)
// With decimal set the instance domain is also shown as a decimal number.
func AppendDesc(dst []byte, d *pcp.Desc, decimal bool) []byte {
	dst = append(dst, "    Data Type: "...)
	dst = append(dst, d.Type.Text()...)
	dst = AppendInDom(append(dst, "  InDom: "...), d.InDom, decimal)
	dst = append(append(dst, "\n    Semantics: "...), d.Sem.Text()...)
	dst = AppendUnits(append(dst, "  Units: "...), d.Units)
	return append(dst, '\n')
}

// AppendDescLine appends the description on one line, newline included, fields separated by tabs,
// the first of them the name.
func AppendDescLine(dst []byte, name string, d *pcp.Desc, decimal bool) []byte {
	dst = append(append(dst, name...), '\t')
	dst = append(append(dst, d.Type.Text()...), '\t')
	dst = append(AppendInDom(dst, d.InDom, decimal), '\t')
	dst = append(append(dst, d.Sem.Text()...), '\t')
	return append(AppendUnits(dst, d.Units), '\n')
}

// AppendUnits appends the text of u, "none" if there is none.
func AppendUnits(dst []byte, u pcp.Units) []byte {
	start := len(dst)
	if dst = u.Append(dst); len(dst) == start {
		dst = append(dst, "none"...)
	}
	return dst
}

// AppendSummary appends the description in one line for people, without a newline: "double,
// instant, Kbyte / count, indom 60.1".
func AppendSummary(dst []byte, d *pcp.Desc) []byte {
	dst = append(append(dst, d.Type.Text()...), ", "...)
	dst = append(append(dst, d.Sem.Text()...), ", "...)
	if d.Units.Dimensionless() {
		dst = append(dst, "no units"...)
	} else {
		dst = AppendUnits(dst, d.Units)
	}
	if d.InDom != pcp.NullInDom {
		dst = append(append(dst, ", indom "...), d.InDom.String()...)
	}
	return dst
}
