package syntax

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Tree dumps an expression for tests, without positions: a leaf is its text, every other node is
// its type with its fields, as in (BinaryExpr X=a Op=+ Y=2).
func Tree(e Expr) string {
	var b strings.Builder
	dump(&b, reflect.ValueOf(e))
	return b.String()
}

func dump(b *strings.Builder, v reflect.Value) {
	switch x := v.Interface().(type) {
	case *MetricRef:
		b.WriteString(x.Name)
		return
	case *IntLit:
		b.WriteString(x.Text)
		return
	case *FloatLit:
		b.WriteString(x.Text)
		return
	case *Grouping:
		b.WriteString(strings.Join(x.Names(), ","))
		return
	case *Interval:
		b.WriteString(x.Text)
		return
	case Token:
		b.WriteString(x.Symbol())
		return
	case string:
		b.WriteString(strconv.Quote(x))
		return
	case bool:
		b.WriteString(strconv.FormatBool(x))
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		dump(b, v.Elem())
	case reflect.Pointer:
		dumpNode(b, v.Elem())
	case reflect.Slice:
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(' ')
			}
			dump(b, v.Index(i))
		}
		b.WriteByte(']')
	default:
		panic(fmt.Sprintf("syntax.Tree: unexpected %s", v.Type()))
	}
}

// dumpNode dumps the fields of a node but positions. Of positions, only the presence of a '!' in
// matchinst has a meaning.
func dumpNode(b *strings.Builder, v reflect.Value) {
	b.WriteString("(" + v.Type().Name())
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Name == "Extended" || (v.Field(i).Kind() == reflect.Interface || v.Field(i).Kind() == reflect.Pointer) && v.Field(i).IsNil() {
			continue
		}
		if pos, ok := v.Field(i).Interface().(Pos); ok {
			if field.Name == "NotPos" && pos >= 0 {
				b.WriteString(" Not")
			}
			continue
		}
		b.WriteString(" " + field.Name + "=")
		dump(b, v.Field(i))
	}
	b.WriteByte(')')
}

// Items returns the items of a file, and those of them that are errors.
func Items(name string, src []byte) (items []Item, errs []*FileError) {
	for c := range Chunks(name, src) {
		items = append(items, c.Items...)
	}
	for _, it := range items {
		if e, ok := it.(*FileError); ok {
			errs = append(errs, e)
		}
	}
	return items, errs
}
