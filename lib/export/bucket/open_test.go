package bucket

import (
	"context"

	"pmtools/lib/export"
	"pmtools/lib/pmapi"
)

// opener returns a function that opens an archive.
func opener(path string) func(context.Context) (pmapi.Source, *export.Records, error) {
	return func(ctx context.Context) (pmapi.Source, *export.Records, error) {
		a, err := pmapi.OpenArchive(ctx, path, nil)
		if err != nil {
			return nil, nil, err
		}
		recs, err := export.NewRecords(a)
		if err != nil {
			a.Close()
			return nil, nil, err
		}
		return recs, recs, nil
	}
}
