package devhost

import (
	"context"
	"errors"

	"example.com/relationindex"
	"example.com/relationindex/emulator"
	"example.com/relationindex/emulator/instances"
	"example.com/relationindex/emulator/weather"
	"example.com/relationindex/internal/devhost/faults"
	"example.com/relationindex/internal/runtime/wire"
)

// weathered is the one weather of a system: the proxy of the functions has it behind the guards, and a proxy of its own is
// between the front and the emulator, for clients of gRPC.
type weathered struct {
	*weather.Weather
	proxy *faults.Proxy
	end   context.CancelFunc // of what deletes by TTL
	ended chan struct{}
}

// startWeather begins the weather, if it is asked for. The emulator runs.
func (s *System) startWeather(ctx context.Context, o Options) error {
	if o.Weather == nil {
		return nil
	}
	w, err := weather.New(*o.Weather, relationindex.FirestoreIndexes)
	if err != nil {
		return err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	proxy, err := faults.Serve(life, s.cfg.EmulatorHost, wire.Interceptor{Unary: w.Unary, Stream: w.Stream})
	if err != nil {
		end()
		return errors.Join(err, w.Close())
	}
	s.weather = &weathered{w, proxy, end, make(chan struct{})}
	go func() {
		defer close(s.weather.ended)
		w.RunTTL(life, s.cfg.EmulatorHost, s.logger())
	}()
	return nil
}

// underWeather is the interceptor of the weather, if there is one.
func (s *System) underWeather() []wire.Interceptor {
	if s.weather == nil {
		return nil
	}
	return []wire.Interceptor{{Unary: s.weather.Unary, Stream: s.weather.Stream}}
}

// callsHost is the host:port for calls of gRPC by clients.
func (s *System) callsHost() string {
	if s.weather == nil {
		return s.cfg.EmulatorHost
	}
	return s.weather.proxy.Host()
}

// Weather is the weather that [Options.Weather] asked for: to see what it has done, and to have an index build. nil without.
func (s *System) Weather() *weather.Weather {
	if s.weather == nil {
		return nil
	}
	return s.weather.Weather
}

func (w *weathered) close() error {
	w.end()
	<-w.ended
	return errors.Join(w.proxy.Close(), w.Close())
}

// SetProductionWeather sets Push, Instances and Weather to what production does at a bad time: docs/weather.md has each number
// and where it is from. scale multiplies waits of minutes and hours, as the page says; 0: 1. seed chooses what goes wrong.
func (o *Options) SetProductionWeather(scale float64, seed uint64) {
	services, database := instances.Production(), weather.Production()
	services.Scale, database.Scale, database.Seed = scale, scale, seed
	o.Push, o.Instances, o.Weather = emulator.ProductionPush(), &services, &database
	o.Push.Scale = scale
}
