package mmv

import "pmtools/lib/pcp"

// The layout of files (collector.md C13.2). All numbers are in the byte order of the machine;
// offsets are from the beginning of the file, 0 stands for nothing.
//
//	header, 40 bytes
//	  0  "MMV\0"
//	  4  version, 1 to 3
//	  8  generation, 64 bits        0 while the file is changed
//	 16  generation, 64 bits        the same once more
//	 24  number of sections
//	 28  flags
//	 32  process
//	 36  cluster
//	one entry for each section, 16 bytes
//	  0  kind    4  number of records    8  offset, 64 bits
//	indoms, 32 bytes each
//	  0  serial  4  number of instances  8  offset of the first  16, 24  offsets of texts
//	instances, 80 bytes each, from version 2 on 24
//	  0  offset of the indom  12  number  16  name, 64 bytes, or its offset
//	metrics, 104 bytes each, from version 2 on 48
//	  0  name, 64 bytes, or its offset, then:
//	  0  item  4  type  8  semantics  12  units  16  serial of the indom  24, 32  offsets of texts
//	values, 32 bytes each
//	  0  value  8  extra, 64 bits  16  offset of the metric  24  offset of the instance
//	strings, 256 bytes each, ending with NUL
//	labels, 256 bytes each
//	  0  flags  4  identity  8  instance  12  JSON, ending with NUL

// Sizes that do not depend on the version, in bytes.
const (
	HeaderSize = 40 // of the part of a file that ParseHeader needs

	tocSize    = 16
	indomSize  = 32
	valueSize  = 32
	stringSize = 256
	labelSize  = 256
	labelText  = 12 // where the text of a label begins
	nameSize   = 64 // of a name that is not a string of its own
)

const (
	kindInDoms = 1 + iota
	kindInstances
	kindMetrics
	kindValues
	kindStrings
	kindLabels
)

func (h *Header) instSize() int {
	if h.Version == 1 {
		return 16 + nameSize
	}
	return 24
}

func (h *Header) metricSize() int {
	if h.Version == 1 {
		return nameSize + 40
	}
	return 48
}

// labelKinds are the levels that labels of a file may have.
const labelKinds = pcp.ClusterLabels | pcp.InDomLabels | pcp.ItemLabels | pcp.InstanceLabels
