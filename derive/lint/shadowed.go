package lint

var shadowed = Rule{
	Name: "shadowed",
	Doc: "The name is taken: the source has a metric of that name, which hides the definition, or metrics below it, so that the name is " +
		"both a metric and a branch of the name space and some tools find only one of the two.",
	Bad:  "disk.dev = sum(disk.dev.total)\n",
	Good: "disk.all.total = sum(disk.dev.total)\n",
	Run: func(p *Pass) {
		names := make(map[string]bool)
		for d := range p.definitions() {
			names[d.Name()] = true
		}
		for d := range p.definitions() {
			for i, c := range d.Name() {
				if c == '.' && names[d.Name()[:i]] {
					p.report(d, -1, d.Name()+" is below "+d.Name()[:i]+", which is a metric")
				}
			}
			switch {
			case p.source == nil:
			case d.masked:
				p.report(d, -1, "the source has a metric "+d.Name()+", which hides this definition")
			case p.source.below(d.Name()):
				p.report(d, -1, "the source has metrics below "+d.Name())
			}
		}
	},
}
