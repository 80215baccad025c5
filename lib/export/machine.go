package export

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// machineLabel is the label by which PCP knows a machine, whatever it is called.
const machineLabel = "machineid"

// SetLabels names the host and its machine otherwise than the recording does: host=NAME, machineid=ID.
func (c *Config) SetLabels(labels []string) error {
	for _, text := range labels {
		name, value, ok := strings.Cut(text, "=")
		switch {
		case !ok || value == "":
			return fmt.Errorf("--label=%s: want NAME=VALUE, as in --label host=web1", text)
		case name == "host":
			c.Host = value
		case name == machineLabel:
			c.Machine = value
		default:
			return fmt.Errorf("--label=%s: the labels of an export are host and machineid; others are those of the archive", text)
		}
	}
	return nil
}

// machineOf returns the identity of the machine of a source, "" if it does not say so.
func machineOf(ctx context.Context, src pmapi.Source) string {
	if a, ok := pmapi.As[*pmapi.Archive](src); ok {
		return recordedMachine(ctx, a.Set())
	}
	found, err := pmapi.ReadLabels(ctx, src, []pmapi.LabelObject{{Kind: pcp.ContextLabels}})
	if err != nil || len(found) == 0 {
		return ""
	}
	return machineIn(found[0].Sets)
}

// recordedMachine returns the identity of the machine of a recording: the labels may come after its start.
func recordedMachine(ctx context.Context, set *archive.Set) string {
	times := []pcp.Timestamp{set.Label().Start}
	if end, err := set.End(ctx); err == nil {
		times = append(times, end)
	}
	for _, at := range times {
		if sets, err := set.Labels(pcp.ContextLabels, 0, at); err == nil {
			if id := machineIn(sets); id != "" {
				return id
			}
		}
	}
	return ""
}

func machineIn(sets []pcp.LabelSet) string {
	for _, set := range sets {
		for _, l := range set.Labels {
			var text string
			if l.Name == machineLabel && json.Unmarshal([]byte(l.Value), &text) == nil {
				return utf8Text(text)
			}
		}
	}
	return ""
}
