package weather_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/emulator/weather"
)

const ms = time.Millisecond

// The error of a wrong option has its name, its value and the rule.
func TestValidate(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*weather.Options){
		"Latency.Read = 20ms to 2ms: From must be above 0, and To not shorter than From": func(o *weather.Options) { o.Latency.Read = weather.Range{From: 20 * ms, To: 2 * ms} },
		"Latency.Commit = 0s to 2ms: From must be above 0, and To not shorter than From": func(o *weather.Options) { o.Latency.Commit = weather.Range{To: 2 * ms} },
		"Latency.Entry = -1ms: must not be negative":                                     func(o *weather.Options) { o.Latency.Entry = -ms },
		"Contention.Rate = NaN: must be a finite number, 0 or more":                      func(o *weather.Options) { o.Contention.Rate = math.NaN() },
		"Contention.Burst = -1: must be a finite number, 0 or more":                      func(o *weather.Options) { o.Contention.Burst = -1 },
		"Contention.Wait = -1ms: must not be negative":                                   func(o *weather.Options) { o.Contention.Wait = -ms },
		"Building = -1ms: must not be negative":                                          func(o *weather.Options) { o.Building = -ms },
		"Spells.Share = 1.5: must be 0 to 1":                                             func(o *weather.Options) { o.Spells.Share = 1.5 },
		"Spells.Length = 0s: must be above 0 if Spells.Share is":                         func(o *weather.Options) { o.Spells.Length = 0 },
		"Spells.Pause = -1ms: must not be negative":                                      func(o *weather.Options) { o.Spells.Pause = -ms },
		"Ramp.Rate = +Inf: must be a finite number, 0 or more":                           func(o *weather.Options) { o.Ramp.Rate = math.Inf(1) },
		"Ramp.Growth = -1: must be a finite number, 0 or more":                           func(o *weather.Options) { o.Ramp.Growth = -1 },
		"Ramp.Step = 0s: must be above 0 if Ramp.Growth is":                              func(o *weather.Options) { o.Ramp.Step = 0 },
		"Ramp.Wait = -1ms: must not be negative":                                         func(o *weather.Options) { o.Ramp.Wait = -ms },
		"TTL.Delay = -1ms: must not be negative":                                         func(o *weather.Options) { o.TTL.Delay = -ms },
		"Scale = -2: must be a finite number, 0 or more (0 means 1)":                     func(o *weather.Options) { o.Scale = -2 },
	} {
		o := weather.Production()
		if err := o.Validate(); err != nil {
			t.Fatalf("Production: %v", err)
		}
		change(&o)
		if err := o.Validate(); err == nil || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
		if _, err := weather.New(o, []byte(`{}`)); err == nil || !strings.Contains(err.Error(), "weather: "+want) {
			t.Errorf("New: %v, want %q", err, want)
		}
	}
	if err := (weather.Options{}).Validate(); err != nil {
		t.Errorf("no weather: %v", err)
	}
	if _, err := weather.New(weather.Options{}, []byte(`{"indexes": 1}`)); err == nil || !strings.Contains(err.Error(), "weather: index file: indexes: must be a list") {
		t.Errorf("a wrong index file: %v", err)
	}
}

// Production turns every model on.
func TestProduction(t *testing.T) {
	t.Parallel()
	o := weather.Production()
	for model, off := range map[string]bool{
		"read": o.Latency.Read == weather.Range{}, "commit": o.Latency.Commit == weather.Range{}, "entry": o.Latency.Entry == 0,
		"contention": o.Contention == weather.Contention{}, "building": o.Building < time.Minute, "spells": o.Spells == weather.Spells{},
		"ramp": o.Ramp == weather.Ramp{}, "ttl": o.TTL == weather.TTL{},
	} {
		if off {
			t.Errorf("%s is off", model)
		}
	}
}

// One of a hundred is shorter than a range, one longer; half are below the geometric mean.
func TestLatencyIsLogNormal(t *testing.T) {
	t.Parallel()
	w, err := weather.New(weather.Options{Seed: 3}, []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	const n = 20_000
	shorter, longer, belowMedian := 0, 0, 0
	for range n {
		d := w.Draw(weather.Range{From: 2 * ms, To: 18 * ms})
		if d < 2*ms {
			shorter++
		}
		if d > 18*ms {
			longer++
		}
		if d < 6*ms {
			belowMedian++
		}
	}
	if percent := func(k int) float64 { return 100 * float64(k) / n }; percent(shorter) < 0.5 || percent(shorter) > 1.5 || percent(longer) < 0.5 || percent(longer) > 1.5 || percent(belowMedian) < 48 || percent(belowMedian) > 52 {
		t.Errorf("%v %% shorter, %v %% longer, %v %% below the median", percent(shorter), percent(longer), percent(belowMedian))
	}
}
