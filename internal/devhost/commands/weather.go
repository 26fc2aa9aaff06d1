package commands

import (
	"fmt"
	"strconv"
	"strings"
)

// parseWeather reads the value of --weather, which is production or production,scale=0.1, and returns the scale.
func parseWeather(text string) (scale float64, err error) {
	name, rest, more := strings.Cut(text, ",")
	if name != "production" {
		return 0, fmt.Errorf("%q: the only weather is production", name)
	}
	if !more {
		return 1, nil
	}
	value, ok := strings.CutPrefix(rest, "scale=")
	if !ok {
		return 0, fmt.Errorf("%q: must be scale=number", rest)
	}
	scale, err = strconv.ParseFloat(value, 64)
	if err != nil || !(scale > 0 && scale <= 1) { // or not a number
		return 0, fmt.Errorf("scale %q: must be above 0, and at most 1", value)
	}
	return scale, nil
}

// scaled says what a scale does.
func scaled(scale float64) string {
	if scale == 1 {
		return "as long as there"
	}
	return fmt.Sprintf("multiplied by %v", scale)
}
