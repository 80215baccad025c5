package hostattr

import "strings"

// redacted stands for a password.
const redacted = "xxxxx"

// Redact is pmcd.Redact.
func Redact(text string) string {
	for from := 0; ; {
		start := passwordIn(text, from)
		if start < 0 {
			return text
		}
		end := start
		for end < len(text) && (text[end] != '&' || !beginsAttr(text[end+1:])) {
			end++
		}
		from = start + len(redacted)
		text = text[:start] + redacted + text[end:]
	}
}

// passwordIn returns where the value of the first password begins at or after an offset, or -1. Its
// key is a word of its own, in any case and at any place, because the text before it may be damaged too.
func passwordIn(text string, from int) int {
	for i := from; i < len(text); i++ {
		if text[i] != '=' {
			continue
		}
		for _, key := range [...]string{"pass", "password"} {
			at := i - len(key)
			if at >= from && strings.EqualFold(text[at:i], key) && !endsInWord(text[:at]) {
				return i + 1
			}
		}
	}
	return -1
}

// endsInWord reports whether a text ends in the characters of a metric's name. An escape is not part of one.
func endsInWord(text string) bool {
	n := len(text)
	if n >= 3 && text[n-3] == '%' {
		return false
	}
	return n > 0 && (isWord(text[n-1]) || text[n-1] == '.')
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// beginsAttr reports whether a text begins with a known attribute.
func beginsAttr(text string) bool {
	end := strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 || !isWord(byte(r)) })
	if end < 0 {
		end = len(text)
	}
	return Full(text[:end]) != "" && (end == len(text) || text[end] == '=' || text[end] == '&')
}
