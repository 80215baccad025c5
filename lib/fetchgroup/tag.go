package fetchgroup

import (
	"fmt"
	"strings"

	"pmtools/lib/pcp"
)

// A tag is the text of a struct tag "pcp":
//
//	tag    = [ metric [ "[" instance "]" ] | "=" expression ] { "," option }
//	option = "rate" | "instant" | "unit=" units | "optional" | "instance" | "time"
//
// The options instance and time have no metric.
type tag struct {
	text               string
	metric, instance   string
	expr               string
	scale              string
	optional           bool
	isInstance, isTime bool
	atInstance         int // offset of the instance
	atScale            int // offset of the scale
}

type tagError struct {
	at  int // byte of the tag
	msg string
}

func (e *tagError) Error() string { return e.msg }

func parseTag(text string) (tag, error) {
	t := tag{text: text}
	body := text
	for {
		at := strings.LastIndexByte(body, ',')
		if at < 0 || strings.ContainsAny(body[at:], "])") && !strings.HasPrefix(body[at+1:], "unit=") {
			break // the comma is part of an instance or an expression
		}
		known, err := t.option(body[at+1:], at+1)
		if err != nil {
			return t, err
		}
		if !known && strings.HasPrefix(body, "=") {
			break
		}
		if !known {
			return t, &tagError{at + 1, fmt.Sprintf("unknown option %q: rate, instant, unit=UNITS, optional, instance and time are known", body[at+1:])}
		}
		body = body[:at]
	}
	return t, t.subject(body)
}

func (t *tag) option(o string, at int) (known bool, err error) {
	units, isUnits := strings.CutPrefix(o, "unit=")
	switch {
	case o == "optional":
		t.optional = true
	case o == "instance":
		t.isInstance = true
	case o == "time":
		t.isTime = true
	case o != "rate" && o != "instant" && !isUnits:
		return false, nil
	case t.scale != "":
		return true, &tagError{at, fmt.Sprintf("%q beside %q: a value has one scale", o, t.scale)}
	case !isUnits:
		t.scale, t.atScale = o, at
	case strings.TrimSpace(units) == "":
		return true, &tagError{at, "unit= without units; a number without dimension is unit=1"}
	default:
		t.scale, t.atScale = units, at+len("unit=")
		if _, _, err := pcp.ParseUnits(units); err != nil {
			return true, &tagError{t.atScale, fmt.Sprintf("units %q: %v", units, err)}
		}
	}
	return true, nil
}

func (t *tag) subject(body string) error {
	expr, isExpr := strings.CutPrefix(body, "=")
	switch open := strings.IndexByte(body, '['); {
	case t.isInstance || t.isTime:
		if body != "" || t.scale != "" || t.optional || t.isInstance && t.isTime {
			return &tagError{0, "the options instance and time stand alone"}
		}
	case isExpr && strings.TrimSpace(expr) == "":
		return &tagError{len(body), "an expression is missing"}
	case isExpr:
		t.expr = expr
	case body == "":
		return &tagError{0, "a metric is missing"}
	case open < 0:
		t.metric = body
	case open == 0:
		return &tagError{0, "a metric is missing"}
	case !strings.HasSuffix(body, "]"):
		return &tagError{len(body), "a ] is missing"}
	case open+2 == len(body):
		return &tagError{open + 1, "an instance is missing"}
	default:
		t.metric, t.instance, t.atInstance = body[:open], body[open+1:len(body)-1], open+1
	}
	return nil
}
