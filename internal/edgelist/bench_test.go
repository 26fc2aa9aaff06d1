package edgelist

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkRows reads a file of 200,000 follows with ids of up to 7 digits.
//
//	go test -bench=Rows -run='^$' ./internal/edgelist
func BenchmarkRows(b *testing.B) {
	const follows = 200_000
	for _, syntax := range []struct {
		name   string
		format func(follower, followed string) string
		gzip   bool
	}{
		{name: "blanks", format: func(a, b string) string { return a + "\t" + b + "\n" }},
		{name: "commas", format: func(a, b string) string { return a + "," + b + "\n" }},
		{name: "quotes", format: func(a, b string) string { return `"` + a + `","` + b + `"` + "\n" }},
		{name: "gzip", format: func(a, b string) string { return a + "\t" + b + "\n" }, gzip: true},
	} {
		b.Run(syntax.name, func(b *testing.B) {
			random := rand.New(rand.NewPCG(1, 2))
			id := func() string { return strconv.Itoa(random.IntN(10_000_000)) }
			var text strings.Builder
			for range follows {
				text.WriteString(syntax.format(id(), id()))
			}
			content := text.String()
			if syntax.gzip {
				content = zip(b, content)
			}
			path := write(b, "graph", content)
			columns := mustParseColumns(b, "follower=1,followed=2", []string{"follower", "followed"})
			b.ReportAllocs()
			b.SetBytes(int64(text.Len()))

			rows := 0
			for b.Loop() {
				in, err := Open(path)
				if err != nil {
					b.Fatal(err)
				}
				for _, err := range Rows(path, in, columns) {
					if err != nil {
						b.Fatal(err)
					}
					rows++
				}
				if err := in.Close(); err != nil {
					b.Fatal(err)
				}
			}
			if rows != b.N*follows {
				b.Fatalf("%d rows in %d rounds of %d", rows, b.N, follows)
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
