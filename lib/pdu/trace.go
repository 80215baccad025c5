package pdu

import (
	"fmt"
	"io"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Trace writes a message to w as one line: a mark for its direction, such as > or <, type, sender,
// length and fields. The bytes of authentication are secret: only their length is shown. A body
// that does not decode is shown as an error.
func Trace(w io.Writer, direction string, f Frame) error {
	line := fmt.Sprintf("%s %v from=%d len=%d", direction, f.Type, f.From, HeaderSize+len(f.Body))
	if m := New(f.Type); m == nil {
		line += " unknown"
	} else if err := m.Decode(f.Body); err != nil {
		line += " " + err.Error()
	} else if text := fields(m); text != "" {
		line += " " + text
	}
	// Values of labels may contain line breaks and control characters.
	_, err := io.WriteString(w, strings.ReplaceAll(line, "\n", `\n`)+"\n")
	return err
}

func fields(m Message) string {
	switch m := m.(type) {
	case *Error:
		if m.Greeting {
			return fmt.Sprintf("code=%d info=%#x", int32(m.Code), m.Info)
		}
		return fmt.Sprintf("code=%d", int32(m.Code))
	case *Creds:
		return fmt.Sprintf("version=%d flags=%#x", m.Version, m.Flags)
	case *Attr:
		if m.Code == AttrSASL {
			return fmt.Sprintf("code=%d value of %d bytes", m.Code, len(m.Value))
		}
		return fmt.Sprintf("code=%d value=%q", m.Code, m.Value)
	case *Fetch:
		return fmt.Sprintf("slot=%d ids=%v", m.Slot, m.IDs)
	case *HighResFetch:
		return fmt.Sprintf("slot=%d ids=%v", m.Slot, m.IDs)
	case *Profile:
		return profileFields(m)
	case *Result:
		return resultFields(m.Values)
	case *HighResResult:
		return resultFields(m.Values)
	case *LabelReq:
		return fmt.Sprintf("ident=%#x kind=%d", m.Ident, m.Kind)
	case *Label:
		return labelFields(m)
	}
	return metaFields(m)
}

func metaFields(m Message) string {
	switch m := m.(type) {
	case *DescReq:
		return fmt.Sprintf("id=%v", m.ID)
	case *Desc:
		return descFields(&m.Desc)
	case *DescIDs:
		return fmt.Sprintf("ids=%v", m.IDs)
	case *Descs:
		var all []string
		for i := range m.Descs {
			all = append(all, "{"+descFields(&m.Descs[i])+"}")
		}
		return strings.Join(all, " ")
	case *InstanceReq:
		return fmt.Sprintf("indom=%v inst=%d name=%q", m.InDom, m.Inst, m.Name)
	case *Instance:
		text := fmt.Sprintf("indom=%v", m.InDom)
		for _, i := range m.Instances {
			text += fmt.Sprintf(" %d=%q", i.ID, i.Name)
		}
		return text
	case *TextReq:
		return fmt.Sprintf("ident=%#x indom=%t kind=%d", m.Ident, m.InDom, m.Kind)
	case *Text:
		return fmt.Sprintf("text=%q", m.Text)
	case *IDs:
		return fmt.Sprintf("status=%d ids=%v", m.Status, m.IDs)
	case *Names:
		if m.Err != 0 {
			return fmt.Sprintf("error=%d", int32(m.Err))
		}
		return fmt.Sprintf("names=%q status=%v", m.Names, m.Status)
	case *Child:
		return fmt.Sprintf("name=%q status=%t", m.Name, m.Status)
	case *Traverse:
		return fmt.Sprintf("name=%q", m.Name)
	}
	return ""
}

func descFields(d *pcp.Desc) string {
	return fmt.Sprintf("id=%v type=%v indom=%v sem=%v units=%#08x", d.ID, d.Type, d.InDom, d.Sem, d.Units.Word())
}

func profileFields(m *Profile) string {
	text := fmt.Sprintf("slot=%d exclude=%t", m.Slot, m.Exclude)
	for _, e := range m.Entries {
		text += fmt.Sprintf(" {indom=%v exclude=%t insts=%v}", e.InDom, e.Exclude, e.Insts)
	}
	return text
}

func labelFields(m *Label) string {
	text := fmt.Sprintf("ident=%#x kind=%d", m.Ident, m.Kind)
	for _, s := range m.Sets {
		if s.Err != nil {
			text += fmt.Sprintf(" {inst=%d error=%q}", s.Inst, s.Err)
		} else {
			text += fmt.Sprintf(" {inst=%d %s}", s.Inst, pcp.AppendLabels(nil, s.Labels))
		}
	}
	return text
}

func resultFields(r *pcp.Result) string {
	parts := []string{fmt.Sprintf("time=%d.%09d", r.Time.Sec, r.Time.Nsec)}
	for i := range r.Sets {
		parts = append(parts, valueFields(&r.Sets[i]))
	}
	return strings.Join(parts, " ")
}

// valueFields returns a column: numbers as they are on the wire, signed.
func valueFields(v *pcp.Values) string {
	text := fmt.Sprintf("{%v", v.ID)
	if v.Err != nil {
		text += fmt.Sprintf(" error=%d", pmerr.Of(v.Err))
	}
	for i, inst := range v.Insts {
		switch {
		case v.Odd != nil && v.Odd[i].Bad:
			text += fmt.Sprintf(" %d=%v", inst, v.Odd[i].Type)
		case v.Type.Arithmetic():
			text += fmt.Sprintf(" %d=%d", inst, int64(v.Words[i]))
		default:
			text += fmt.Sprintf(" %d=%q", inst, v.Blobs[i])
		}
	}
	return text + "}"
}
