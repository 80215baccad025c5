package pmapi

import (
	"context"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// noSource fails with pmerr.NoContext. It takes the place of a Source's parts when the Source is closed.
type noSource struct{ *Catalog }

var nothing = noSource{&Catalog{closed: true}}

func (noSource) Fetch(context.Context, *Request, *pcp.Result) error { return pmerr.NoContext }
