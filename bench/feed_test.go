package bench

import (
	"fmt"
	"os"
	"testing"
	"time"

	"example.com/relationindex/internal/console"
)

// BenchmarkFeed measures all of it and prints a table. Run it once:
// -benchtime 1x.
func BenchmarkFeed(b *testing.B) {
	for b.Loop() {
		many, few := newSetting(b, pageOf, manyFollowers), newSetting(b, 100, 10)
		z := measureSizes(b, many)
		feed, bare := measureTimes(b, few)
		allocatedMany, allocatedFew := many.allocated(b, 10), few.allocated(b, 10)

		if z.plain > 20_000 || z.read > 20_000 {
			b.Errorf("a page takes %d bytes, %d from Firestore: more than 20,000", z.plain, z.read)
		}
		if allocatedMany > allocatedFew*3/2 {
			b.Errorf("a request allocates %d bytes with %d ids, and %d with 10: not the same", allocatedMany, manyFollowers, allocatedFew)
		}
		var rows [][]string
		row := func(what, feed, beside string, times float64) {
			rows = append(rows, []string{what, feed, beside, fmt.Sprintf("%.3g", times)})
		}
		row(fmt.Sprintf("bytes to the client, %d ids", manyFollowers), fmt.Sprint(z.plain), fmt.Sprintf("%d by its own query", z.direct), float64(z.plain)/float64(z.direct))
		row("… compressed", fmt.Sprint(z.packed), "", float64(z.packed)/float64(z.direct))
		row("bytes from Firestore", fmt.Sprint(z.read), "", float64(z.read)/float64(z.direct))
		for _, percent := range []int{50, 99} {
			f, r := feed.at(percent), bare.at(percent)
			row(fmt.Sprintf("p%d of %d requests", percent, requests), f.Round(10*time.Microsecond).String(), r.Round(10*time.Microsecond).String()+" bare handler", ratio(f, r))
			b.ReportMetric(ratio(f, r), fmt.Sprintf("p%d-of-bare", percent))
			if ratio(f, r) > most {
				b.Errorf("p%d is %.2f times that of the bare handler, more than %.1f", percent, ratio(f, r), most)
			}
		}
		row(fmt.Sprintf("bytes allocated, %d ids", manyFollowers), fmt.Sprint(allocatedMany), fmt.Sprintf("%d with 10 ids", allocatedFew), float64(allocatedMany)/float64(allocatedFew))
		if err := console.Table(os.Stdout, "  ", []string{fmt.Sprintf("a page of %d", pageOf), "Feed", "beside", "times"}, rows); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(z.plain), "page-bytes")
		b.ReportMetric(float64(z.direct), "direct-bytes")
	}
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }
