package prom_test

import (
	"context"
	"log"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pmtools/lib/mmv"
	"pmtools/lib/pmapi"
	"pmtools/lib/prom"
)

// The metrics that a program gathers for Prometheus go to its registry every second.
func ExampleMirror() {
	ctx := context.Background()
	reg, err := mmv.Create("server", mmv.Options{})
	if err != nil {
		log.Print(err)
	}
	mirror := prom.NewMirror(reg, prometheus.DefaultGatherer)
	go mmv.Every(ctx, time.Second, func() {
		if err := mirror.Update(); err != nil {
			log.Print(err)
		}
	})
}

// Metrics of a daemon are collected for Prometheus.
func ExampleCollector() {
	_ = func(ctx context.Context) error {
		src, err := pmapi.OpenHost(ctx, "local:", nil)
		if err != nil {
			return err
		}
		prometheus.MustRegister(prom.NewCollector(src, &prom.CollectorOptions{Names: []string{"kernel.all", "disk.dev"}}))
		return nil
	}
}
