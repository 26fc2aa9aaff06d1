package schema

import "testing"

func TestHorizonsThatAreNone(t *testing.T) {
	for _, h := range []Horizon{{Feed: -1}, {Kept: -1}, {Feed: MaxHorizon + 1}, {Feed: 1, Kept: MaxHorizon + 1}, {Kept: 5}, {Feed: 6, Kept: 5}} {
		if h.check() == nil {
			t.Errorf("%+v is accepted", h)
		}
	}
	for _, h := range []Horizon{{}, {Feed: 5}, {Feed: 5, Kept: 5}, {Feed: 5, Kept: 6}, {Feed: MaxHorizon, Kept: MaxHorizon}} {
		if err := h.check(); err != nil {
			t.Errorf("%+v: %v", h, err)
		}
	}
}
