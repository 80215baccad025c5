package samples

// prefixes keeps the text before the values of a metric's instances, which is the same in nearly every sample.
type prefixes struct {
	list  []prefix // by the places of the values in a sample
	spare prefix   // of a value beyond maxPrefixes
}

// A prefix is the text before the value of an instance.
type prefix struct {
	id   int32
	name string
	text []byte
}

// maxPrefixes bounds the memory for the instances of one metric.
const maxPrefixes = 1 << 11

// at returns the prefix of the instance at a place in a sample, and whether its text has been made.
func (p *prefixes) at(i int, id int32, name string) (x *prefix, made bool) {
	switch {
	case i < len(p.list):
		x = &p.list[i]
	case i == len(p.list) && i < maxPrefixes:
		p.list = append(p.list, prefix{})
		x = &p.list[i]
	default:
		x = &p.spare
	}
	if x.id == id && x.name == name && x.text != nil {
		return x, true
	}
	x.id, x.name, x.text = id, name, x.text[:0]
	return x, false
}
