package lint

var noHelp = Rule{
	Name: "no-help",
	Doc:  "The definition has no one-line help text, so nobody but its author knows what it is about. pminfo -t shows it.",
	Bad:  "disk.reads = rate(disk.dev.total)\n",
	Good: "disk.reads = rate(disk.dev.total)\ndisk.reads(oneline) = transfers for each disk\n",
	Run: func(p *Pass) {
		for d := range p.definitions() {
			if !p.texts[[2]string{d.Name(), "oneline"}] {
				p.report(d, -1, d.Name()+" has no help text", d.Name()+"(oneline) = ... gives it one")
			}
		}
	},
}
