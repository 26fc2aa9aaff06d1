package console

import (
	"fmt"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// english formats numbers with commas: 40,012.
var english = message.NewPrinter(language.English)

// number is the type of a number.
type number interface{ int | int64 | float64 }

// Grouped returns a number with commas, rounded to a whole number unless it is small.
func Grouped[N number](n N) string {
	if f := float64(n); f != float64(int64(f)) && f < 100 {
		return fmt.Sprintf("%.3g", f)
	}
	return english.Sprintf("%.0f", float64(n))
}

// Counted returns "1 post" or "20,000 posts".
func Counted[N number](n N, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Grouped(n) + " " + thing
}

// Dollars returns an amount of USD with its cents, and "< 0.01" for less than a cent.
func Dollars(usd float64) string {
	if usd > 0 && usd < 0.01 {
		return "< 0.01"
	}
	return english.Sprintf("%.2f", usd)
}

// Bytes returns a size in units of 1,024.
func Bytes(n float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for ; n >= 1024 && i < len(units)-1; i++ {
		n /= 1024
	}
	if i == 0 {
		return fmt.Sprintf("%.0f B", n)
	}
	return fmt.Sprintf("%.3g %s", n, units[i])
}
