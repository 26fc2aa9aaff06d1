package schema

import (
	"testing"
	"time"
)

func TestInvalidHorizonsAreRejected(t *testing.T) {
	const day = 24 * time.Hour
	for _, h := range []Horizon{{Feed: -day}, {Kept: -day}, {Feed: MaxHorizon + 1}, {Feed: day, Kept: MaxHorizon + 1}, {Kept: day}, {Feed: 2 * day, Kept: day}, {Feed: time.Minute}} {
		if h.check() == nil {
			t.Errorf("%+v is accepted", h)
		}
	}
	for _, h := range []Horizon{{}, {Feed: day}, {Feed: day, Kept: day}, {Feed: day, Kept: 2 * day}, {Feed: MinHorizon, Kept: MaxHorizon}} {
		if err := h.check(); err != nil {
			t.Errorf("%+v: %v", h, err)
		}
	}
}
