package dev

import (
	"fmt"
	"strconv"
	"strings"
)

// weatherRule is the rule for the value of --weather. With a smaller scale, bursts of errors would never end.
const weatherRule = "expected production or production,scale=0.1, with a scale of 0.001 to 1"

// parseWeather reads the value of --weather, such as production or production,scale=0.1, and returns the scale.
func parseWeather(text string) (scale float64, err error) {
	name, rest, more := strings.Cut(text, ",")
	if name != "production" {
		return 0, fmt.Errorf("%q: "+weatherRule, text)
	}
	if !more {
		return 1, nil
	}
	value, ok := strings.CutPrefix(rest, "scale=")
	if !ok {
		return 0, fmt.Errorf("%q: "+weatherRule, text)
	}
	scale, err = strconv.ParseFloat(value, 64)
	if err != nil || !(scale >= 0.001 && scale <= 1) { // not NaN either
		return 0, fmt.Errorf("%q: "+weatherRule, text)
	}
	return scale, nil
}

// scaled returns a text about the effect of a scale on long waits.
func scaled(scale float64) string {
	if scale == 1 {
		return "not shortened"
	}
	return fmt.Sprintf("multiplied by %v", scale)
}
