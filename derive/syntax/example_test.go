package syntax_test

import (
	"fmt"

	"pmtools/derive/syntax"
)

func ExampleConfig_Parse() {
	var config syntax.Config
	x, err := config.Parse("delta(disk.dev.read)*2 > 10")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(syntax.Print(x))
	// Output:
	// delta(disk.dev.read) * 2 > 10
}

func ExamplePreorder() {
	x, _ := (*syntax.Config)(nil).Parse("avg(a.b) + c")
	for n := range syntax.Preorder(x) {
		if m, ok := n.(*syntax.MetricRef); ok {
			fmt.Println(m.Name)
		}
	}
	// Output:
	// a.b
	// c
}

func ExampleChunks() {
	var items []syntax.Item
	for c := range syntax.Chunks("my.conf", []byte("x.y = a +\nx.y(oneline) = a sum\nz\n")) {
		items = append(items, c.Items...)
	}
	for _, item := range items {
		switch item := item.(type) {
		case *syntax.Definition:
			if _, err := (*syntax.Config)(nil).Parse(item.Expr()); err != nil {
				fmt.Print(item.SyntaxError(err.(*syntax.Error)).Text())
			}
		case *syntax.Attribute:
			fmt.Println("attribute", item.Attr, "of", item.Name)
		case *syntax.FileError:
			fmt.Print(item.Text())
		}
	}
	// Output:
	// [my.conf:1] Error: pmRegisterDerived(x.y, ...) syntax error
	//  a +
	//    ^
	// Arithmetic expression expected to follow PLUS
	// attribute oneline of x.y
	// [my.conf:3] Error: pmLoadDerivedConfig: missing ``='' after derived metric name
	// z
}
