package emulator

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

var (
	errNotShare = errors.New("must be a share of 0 to 1")
	errNotDelay = errors.New("must be a duration that is not negative, such as 200ms")
	errNotSeed  = errors.New("must be a whole number of 0 to 18446744073709551615")
)

func isShare(v float64) bool { return v >= 0 && v <= 1 } // which NaN is not

// ParseChaos reads what [Chaos.String] writes, such as "duplicate=0.3,reorder=0.3,delay=200ms,drop=0.1,seed=7", in any
// order and without blanks; what is left out is zero, and "" is the zero value. An error names the key, the value and the
// rule.
func ParseChaos(spec string) (Chaos, error) {
	var c Chaos
	if spec == "" {
		return c, nil
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(spec, ",") {
		key, value, ok := strings.Cut(part, "=")
		err := errors.New("must be key=value")
		switch {
		case !ok:
		case seen[key]:
			err = errors.New("must not be given twice")
		default:
			err = c.set(key, value)
		}
		if err != nil {
			return Chaos{}, fmt.Errorf("chaos %q: %w", part, err)
		}
		seen[key] = true
	}
	return c, nil
}

func (c *Chaos) set(key, value string) error {
	switch key {
	case "duplicate":
		return setShare(&c.Duplicate, value)
	case "reorder":
		return setShare(&c.Reorder, value)
	case "drop":
		return setShare(&c.Drop, value)
	case "delay":
		d, err := time.ParseDuration(value)
		if err != nil || d < 0 {
			return errNotDelay
		}
		c.Delay = d
	case "seed":
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return errNotSeed
		}
		c.Seed = n
	default:
		return errors.New("the key must be duplicate, reorder, delay, drop or seed")
	}
	return nil
}

func setShare(share *float64, value string) error {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || !isShare(v) {
		return errNotShare
	}
	*share = v
	return nil
}

// String is c as [ParseChaos] reads it, without what is zero: "" for the zero value.
func (c Chaos) String() string {
	var parts []string
	add := func(key, value string, is bool) {
		if is {
			parts = append(parts, key+"="+value)
		}
	}
	share := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	add("duplicate", share(c.Duplicate), c.Duplicate != 0)
	add("reorder", share(c.Reorder), c.Reorder != 0)
	add("delay", c.Delay.String(), c.Delay != 0)
	add("drop", share(c.Drop), c.Drop != 0)
	add("seed", strconv.FormatUint(c.Seed, 10), c.Seed != 0)
	return strings.Join(parts, ",")
}
