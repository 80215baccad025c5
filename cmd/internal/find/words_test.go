package find

import (
	"slices"
	"strings"
	"testing"

	_ "pmtools/test/env"
)

// TestStem has the forms of one word in each line.
func TestStem(t *testing.T) {
	seen := make(map[string]string)
	for _, forms := range []string{
		"disk disks", "queue queues queued queueing queuing", "latency latencies", "swap swaps swapped swapping",
		"use uses used using", "miss misses missed missing", "process processes processed processing",
		"cache caches cached caching", "page pages paged paging", "switch switches switched", "byte bytes",
		"error errors", "drop drops dropped dropping", "wait waits waiting waited", "status", "bus", "string strings",
		"speed speeds", "stall stalls stalled", "axis", "read reads reading", "packet packets", "retry retries", "in", "io",
	} {
		list := strings.Fields(forms)
		want := stem(list[0])
		for _, w := range list {
			if got := stem(w); got != want {
				t.Errorf("stem(%q) = %q, but stem(%q) = %q", w, got, list[0], want)
			}
		}
		if other, twice := seen[want]; twice {
			t.Errorf("%q and %q have one stem", list[0], other)
		}
		seen[want] = list[0]
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "",
		"disk.dev.r_await":     "disk dev r await",
		" I/O: 5-minute load!": "i o 5 minute load",
		"Größe der Datei":      "größe der datei",
	} {
		var got []string
		words(text, func(w string) { got = append(got, w) })
		if strings.Join(got, " ") != want {
			t.Errorf("words of %q: %q, want %s", text, got, want)
		}
	}
}

// TestStop: words of a question that say nothing about a metric do not count.
func TestStop(t *testing.T) {
	for _, w := range strings.Fields("which process uses most of the memory") {
		if want := w != "process" && w != "memory"; stop[w] != want {
			t.Errorf("%s is left out: %v, want %v", w, stop[w], want)
		}
	}
}

func TestSynonyms(t *testing.T) {
	for _, test := range []struct{ word, synonym string }{
		{"latency", "await"}, {"latency", "wait"}, {"response time", "await"}, {"traffic", "bytes"}, {"traffic", "octets"},
		{"memory", "mem"}, {"memory", "rss"}, {"memory", "swap"}, {"processor", "kernel.all.cpu"}, {"disk", "iops"}, {"load", "queue"},
		{"networks", "interface"}, {"errors", "drop"}, {"error", "retransmit"}, {"await", "latency"}, {"rss", "memory"},
	} {
		list := synonyms()[strings.Join(stems(test.word), " ")]
		i := slices.IndexFunc(list, func(s synonym) bool { return s.text == test.synonym })
		if i < 0 {
			t.Errorf("%s does not stand for %s", test.synonym, test.word)
		} else if f := list[i].factor; f <= 0 || f >= 1 {
			t.Errorf("%s for %s has the factor %v", test.synonym, test.word, f)
		}
	}
	for line := range strings.Lines(synonymText) {
		for _, text := range texts(strings.Replace(line, "|", ",", 1)) {
			if len(stems(text)) == 0 {
				t.Errorf("%q has no words", text)
			}
		}
	}
}
