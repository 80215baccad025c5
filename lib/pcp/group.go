package pcp

import "strings"

// GroupName returns the name of a group of instances: the values of the labels that they have in common, with
// commas between them. A value that is empty or has a quote stands in quotes, those in it doubled, as in CSV, and
// so does one of several with a comma: no other values have the same name.
func GroupName(values []string) string {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		if v == "" || strings.Contains(v, `"`) || len(values) > 1 && strings.Contains(v, ",") {
			v = `"` + strings.ReplaceAll(v, `"`, `""`) + `"`
		}
		b.WriteString(v)
	}
	return b.String()
}

// GroupValues returns the values of the n labels in a name made by [GroupName], nil for other names.
func GroupValues(name string, n int) []string {
	values := make([]string, 0, max(n, 0))
	for len(values) < n {
		v, rest := name, ""
		more := false
		if strings.HasPrefix(name, `"`) {
			var b strings.Builder
			text := name[1:]
			for {
				part, after, ok := strings.Cut(text, `"`)
				if !ok {
					return nil
				}
				b.WriteString(part)
				if text = after; !strings.HasPrefix(text, `"`) {
					break
				}
				b.WriteByte('"')
				text = text[1:]
			}
			v = b.String()
			if rest, more = strings.CutPrefix(text, ","); !more && text != "" {
				return nil
			}
		} else if n > 1 {
			v, rest, more = strings.Cut(name, ",")
		}
		values, name = append(values, v), rest
		if more != (len(values) < n) {
			return nil
		}
	}
	return values
}
