package trace_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"pmtools/lib/trace"
)

// A transaction in a context, of which the log tells the tag. Without an agent nothing else is
// different.
func Example() {
	c, err := trace.New(&trace.Options{State: trace.NoAgent | trace.API})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "seconds" {
			return slog.Attr{}
		}
		return a
	}}))
	pay := func(ctx context.Context) error {
		logger.InfoContext(ctx, "no money", trace.Attr(ctx))
		return trace.FromContext(ctx).Abort()
	}
	end := c.Begin("checkout")
	fmt.Println(pay(trace.NewContext(context.Background(), end)))
	fmt.Println(errors.Is(end(), trace.NoProgress))
	// Output:
	// level=INFO msg="no money" transaction.tag=checkout
	// <nil>
	// true
}
