package chaos

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

// Parse parses the text of [Rates.String], such as
// "duplicate=0.3,reorder=0.3,delay=200ms,drop=0.1,seed=7". The order does not matter, and
// there are no blanks. A missing key is zero; "" is the zero value. An error names the
// key, the value and the rule.
func Parse(spec string) (Rates, error) {
	var r Rates
	if spec == "" {
		return r, nil
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
			err = r.set(key, value)
		}
		if err != nil {
			return Rates{}, fmt.Errorf("chaos %q: %w", part, err)
		}
		seen[key] = true
	}
	return r, nil
}

func (r *Rates) set(key, value string) error {
	switch key {
	case "duplicate":
		return setShare(&r.Duplicate, value)
	case "reorder":
		return setShare(&r.Reorder, value)
	case "drop":
		return setShare(&r.Drop, value)
	case "lose":
		return setShare(&r.Lose, value)
	case "delay":
		d, err := time.ParseDuration(value)
		if err != nil || d < 0 {
			return errNotDelay
		}
		r.Delay = d
	case "seed":
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return errNotSeed
		}
		r.Seed = n
	default:
		return errors.New("the key must be duplicate, reorder, delay, drop, lose or seed")
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

// String returns r as [Parse] reads it, without fields that are zero.
func (r Rates) String() string {
	var parts []string
	add := func(key, value string, is bool) {
		if is {
			parts = append(parts, key+"="+value)
		}
	}
	share := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	add("duplicate", share(r.Duplicate), r.Duplicate != 0)
	add("reorder", share(r.Reorder), r.Reorder != 0)
	add("delay", r.Delay.String(), r.Delay != 0)
	add("drop", share(r.Drop), r.Drop != 0)
	add("lose", share(r.Lose), r.Lose != 0)
	add("seed", strconv.FormatUint(r.Seed, 10), r.Seed != 0)
	return strings.Join(parts, ",")
}
