package processes

import (
	"context"
	"errors"

	"example.com/relationindex"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/emulator/instances"
	"example.com/relationindex/emulator/push"
	"example.com/relationindex/emulator/weather"
	"example.com/relationindex/internal/wire"
)

// weathered is the weather of a system, with its two places: in the proxy of the functions, behind the guards, and in a proxy of
// its own, between the front and the emulator, for gRPC clients.
type weathered struct {
	*weather.Weather
	proxy    *faults.Proxy
	deletion *task // by TTL
}

// startWeather starts the weather, if the options have one. The emulator must run.
func (s *System) startWeather(ctx context.Context) error {
	if s.options.Weather == nil {
		return nil
	}
	w, err := weather.New(*s.options.Weather, relationindex.FirestoreIndexes)
	if err != nil {
		return err
	}
	proxy, err := faults.Serve(context.WithoutCancel(ctx), s.cfg.EmulatorHost, wire.Interceptor{Unary: w.Unary, Stream: w.Stream})
	if err != nil {
		return errors.Join(err, w.Close())
	}
	deletion := begin(ctx, func(ctx context.Context) { w.RunTTL(ctx, s.cfg.EmulatorHost, s.logger()) })
	s.weather = &weathered{w, proxy, deletion}
	return nil
}

// underWeather returns the interceptor of the weather, if there is one.
func (s *System) underWeather() []wire.Interceptor {
	if s.weather == nil {
		return nil
	}
	return []wire.Interceptor{{Unary: s.weather.Unary, Stream: s.weather.Stream}}
}

// callsHost returns the host:port for gRPC calls of clients.
func (s *System) callsHost() string {
	if s.weather == nil {
		return s.cfg.EmulatorHost
	}
	return s.weather.proxy.Host()
}

// Weather returns the weather of [Options.Weather], to read its counts or to start an index build; nil if there is none.
func (s *System) Weather() *weather.Weather {
	if s.weather == nil {
		return nil
	}
	return s.weather.Weather
}

func (w *weathered) close() error {
	return errors.Join(w.deletion.close(), w.proxy.Close(), w.Close())
}

// SetProductionWeather sets Push, Instances and Weather to production's behaviour at a bad time: docs/weather.md has each number
// and its source. scale multiplies long waits: see "Scale" there; 0 means 1. seed starts the random numbers of the weather.
func (o *Options) SetProductionWeather(scale float64, seed uint64) {
	services, database := instances.Production(), weather.Production()
	services.Scale, database.Scale, database.Seed = scale, scale, seed
	o.Push, o.Instances, o.Weather = push.Production(), &services, &database
	o.Push.Scale = scale
}
