package push

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"pmtools/cmd/internal/answer"
	"pmtools/cmd/internal/cli"
	"pmtools/lib/remotewrite"
)

// A seriesObject is what JSON has of a series that would be sent.
type seriesObject struct {
	Name    string            `json:"name"`
	Type    string            `json:"type"`
	Unit    string            `json:"unit,omitempty"`
	Help    string            `json:"help"`
	Labels  map[string]string `json:"labels"`
	Samples int               `json:"samples"`
	First   any               `json:"first"` // a number, or the text of one that JSON does not have
}

// Preview shows what Run would send, without a server and a queue. The error is cli.Exit if missing values have been reported.
func (p *Push) Preview(ctx context.Context, produce func(context.Context) error, show func(*answer.Table) error) error {
	sink := &remotewrite.Preview{}
	p.start(ctx, sink)
	if err := produce(ctx); err != nil {
		return err
	}
	if err := p.sender.Close(); err != nil {
		return err
	}
	t := table(sink.Series, !p.archive)
	t.Notes = append(t.Notes, sink.Summary(p.sender.Missing))
	if err := show(t); err != nil {
		return err
	}
	if report := (&remotewrite.Report{Missing: p.sender.Missing}); !report.Complete() {
		return cli.Exit(1)
	}
	return nil
}

// table returns a row for each series, those of a live run itself after those of metrics. For people, labels that all series of metrics have
// stand above.
func table(list []remotewrite.PreviewSeries, live bool) *answer.Table {
	if live {
		slices.SortStableFunc(list, func(a, b remotewrite.PreviewSeries) int { return cmp.Compare(own(a), own(b)) })
	}
	metrics := len(list)
	for live && metrics > 0 && own(list[metrics-1]) == 1 {
		metrics--
	}
	t := &answer.Table{
		Header: []string{"series", "type", "unit", "samples", "first", "labels"}, Right: []bool{3: true, 4: true}, Drop: []int{4, 2, 3, 1}, Wrap: true,
		Keys: []string{"name", "type", "unit", "help", "samples", "first", "labels"}, Records: [][]string{}, Objects: []any{},
	}
	common := commonLabels(list[:metrics])
	if len(common) > 0 {
		which := "all series"
		if metrics < len(list) {
			which = "all series of metrics"
		}
		t.Above = []string{which + " have " + labelText(list[0].Labels, func(name string) bool { return common[name] != "" })}
	}
	for i := range list {
		s := &list[i]
		object := seriesObject{Type: s.Meta.Kind.String(), Unit: s.Meta.Unit, Help: s.Meta.Help, Labels: maps.Collect(s.Labels.All()), Samples: s.Samples, First: s.First}
		object.Name = object.Labels[metricName]
		delete(object.Labels, metricName)
		samples, first := strconv.Itoa(s.Samples), strconv.FormatFloat(s.First, 'g', -1, 64)
		if math.IsNaN(s.First) || math.IsInf(s.First, 0) {
			object.First = first
		}
		t.Objects = append(t.Objects, object)
		t.Records = append(t.Records, []string{object.Name, object.Type, object.Unit, object.Help, samples, first, labelText(s.Labels, func(string) bool { return true })})
		t.Rows = append(t.Rows, []string{object.Name, object.Type, object.Unit, samples, strconv.FormatFloat(s.First, 'g', 6, 64), labelText(s.Labels, func(name string) bool { return i >= metrics || common[name] == "" })})
	}
	return t
}

// own returns 1 for a series of a live run itself.
func own(s remotewrite.PreviewSeries) int {
	if s.Meta.Name == "up" || strings.HasPrefix(s.Meta.Name, "pmderive_push_") {
		return 1
	}
	return 0
}

// metricName is the label that is the name of the metric.
const metricName = "__name__"

// commonLabels returns the labels that several series have in common.
func commonLabels(list []remotewrite.PreviewSeries) map[string]string {
	if len(list) < 2 {
		return nil
	}
	common := maps.Collect(list[0].Labels.All())
	for i := range list {
		labels := maps.Collect(list[i].Labels.All())
		maps.DeleteFunc(common, func(name, value string) bool { return name == metricName || labels[name] != value })
	}
	return common
}

// labelText returns labels as in a query of Prometheus, those of some names.
func labelText(labels remotewrite.Labels, some func(name string) bool) string {
	var list []string
	for name, value := range labels.All() {
		if name != metricName && some(name) {
			list = append(list, name+"="+strconv.Quote(value))
		}
	}
	return strings.Join(list, ", ")
}
