package pmapi

import (
	"context"
	"fmt"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// HostName returns the name of the host of src, from the label of an archive or the daemon's
// pmcd.hostname. If pmcd.hostname cannot be read, it returns the error and the name of
// [Source.Host].
func HostName(ctx context.Context, src Source) (string, error) {
	own, _ := src.Host()
	if _, recorded := As[Timeline](src); recorded {
		return own, nil
	}
	name, err := StringValue(ctx, src, "pmcd.hostname")
	if err != nil {
		return own, err
	}
	return name, nil
}

// Zone returns the time zone of that host, as a value of the variable TZ: the zone of an archive's
// label, or the daemon's pmcd.zoneinfo, or its pmcd.timezone.
func Zone(ctx context.Context, src Source) (string, error) {
	if _, recorded := As[Timeline](src); recorded {
		_, zone := src.Host()
		return zone, nil
	}
	if zone, err := StringValue(ctx, src, "pmcd.zoneinfo"); err == nil && zone != "" {
		return zone, nil
	}
	return StringValue(ctx, src, "pmcd.timezone")
}

// StringValue fetches a metric whose only value is a string, such as pmcd.timezone. A metric without
// values, or of another type, is pmerr.Value.
func StringValue(ctx context.Context, src Source, name string) (string, error) {
	id, err := LookupName(ctx, src, name)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	var r pcp.Result
	if err := src.Fetch(ctx, &Request{IDs: []pcp.ID{id}}, &r); err != nil {
		return "", err
	}
	v := &r.Sets[0]
	switch {
	case v.Err != nil:
		return "", fmt.Errorf("%s: %w", name, v.Err)
	case v.Len() == 0 || v.Type != pcp.String:
		return "", fmt.Errorf("%s: %w", name, pmerr.Value)
	}
	return string(v.Value(0).Bytes()), nil
}
