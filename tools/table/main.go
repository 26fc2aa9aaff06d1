// Command table writes what `make bench-scale` printed into README.md, as a
// table between two comments:
//
//	table -results bench/results/scale.txt -readme README.md
//
// With -check it writes nothing, and exits with 1 if the table is another.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// The table is what stands between these two lines.
const (
	begin = "<!-- The next lines are written by make bench-table, from bench/results/scale.txt. -->\n"
	end   = "<!-- Up to here. -->\n"
)

func main() {
	results := flag.String("results", "bench/results/scale.txt", "what make bench-scale printed")
	readme := flag.String("readme", "README.md", "file with the two comments")
	check := flag.Bool("check", false, "only compare")
	flag.Parse()
	if err := run(*results, *readme, *check); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func run(results, readme string, check bool) error {
	m, err := read(results)
	if err != nil {
		return err
	}
	table, err := m.table()
	if err != nil {
		return fmt.Errorf("%s: %w", results, err)
	}
	old, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(old, []byte(begin))
	_, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return fmt.Errorf("%s: want the lines %q and %q", readme, begin, end)
	}
	text := bytes.Join([][]byte{before, []byte(begin), []byte(table), []byte(end), after}, nil)
	switch {
	case !check:
		return os.WriteFile(readme, text, 0o600) // the file is there, and keeps its mode
	case !bytes.Equal(old, text):
		return fmt.Errorf("%s does not have the table of %s: run make bench-table", readme, results)
	}
	return nil
}

// measurements are values by "benchmark unit", and what is said of the machine.
type measurements struct {
	values  map[string]float64
	machine map[string]string
	missing []string
}

// read reads benchmark results. The names are without Benchmark and GOMAXPROCS;
// of several results of a benchmark the last counts.
func read(path string) (*measurements, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m := &measurements{values: map[string]float64{}, machine: map[string]string{}}
	reader := benchfmt.NewReader(f, path)
	for reader.Scan() {
		r, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue // a line that only begins like a result
		}
		name := string(r.Name)
		if _, parts := r.Name.Parts(); len(parts) > 0 && bytes.HasPrefix(parts[len(parts)-1], []byte("-")) { // GOMAXPROCS
			name = strings.TrimSuffix(name, string(parts[len(parts)-1]))
		}
		for _, v := range r.Values {
			m.values[name+" "+v.Unit] = v.Value
		}
		for _, c := range r.Config {
			m.machine[c.Key] = string(c.Value)
		}
	}
	return m, reader.Err()
}

// v is a value as text; a missing one is noted.
func (m *measurements) v(format, benchmark, unit string) string {
	value, ok := m.values[benchmark+" "+unit]
	if !ok {
		m.missing = append(m.missing, benchmark+" "+unit)
	}
	return thousands(fmt.Sprintf(format, value))
}

// thousands puts commas into a text that is a whole number of four digits or more.
func thousands(text string) string {
	if len(text) < 4 || strings.Trim(text, "0123456789") != "" {
		return text
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func (m *measurements) table() (string, error) {
	var out strings.Builder
	line := func(cells ...string) { fmt.Fprintln(&out, "| "+strings.Join(cells, " | ")+" |") }
	const big, popular, posting, start = "TwentyMillion", "Popular/silent", "Popular/posting", "Startup"
	post := func(design, unit string) string {
		return m.v("%.0f", "PostByPopularAuthor/design="+design, unit)
	}
	line("20,000,000 followers, 2,000 index documents", "measured", "beside")
	line("---", "---", "---")
	line("a post: exactly "+m.v("%.0f", big, "relations")+" relations", m.v("%.1f s", big, "post-s"),
		m.v("%.2f times", big, "post-x-plain")+" a plain loop that reads the same documents and writes the same copies")
	line("an edit of a copied field", m.v("%.2f s", big, "edit-s"), m.v("%.2f times", big, "edit-x-plain")+" a plain loop of updates")
	line("its deletion", m.v("%.2f s", big, "delete-s"), m.v("%.2f times", big, "delete-x-plain")+" a plain loop of deletes")
	line("memory of the functions, at its peak", m.v("%.0f MiB", big, "peak-MiB"), "killed when "+m.v("%.0f", big, "killed-at")+" relations were there: exact all the same")
	line("longest step of the job", m.v("%.1f s", big, "longest-step-s"), "20 s, set for this")
	line("**Growth**", "", "")
	for _, n := range []string{"10", "100", "1000", "2000"} {
		at := "Growth/documents=" + n
		line(thousands(n)+" index documents", m.v("%.1f ms a relation", at, "ms/relation"), m.v("%.0f MiB", at, "peak-MiB"))
	}
	line("**50,000 follows of one author**, three processes", "", "")
	line("to idle", m.v("%.0f follows/s", popular, "follows/s"), m.v("%.2f of", popular, "of-noop")+" the rate at which the same events reach a function that does nothing")
	line("… while the author posts 20 times", m.v("%.0f follows/s", posting, "follows/s"), m.v("%.2f of it", posting, "of-noop"))
	line("**A post to 100,000 followers**", "", "")
	line("relation index", post("relation-index", "reads/op")+" reads, "+post("relation-index", "writes/op")+" writes", m.v("%.2f s", "PostByPopularAuthor/design=relation-index", "sec/op"))
	line("fan-out on write", post("fan-out-on-write", "reads/op")+" reads, "+post("fan-out-on-write", "writes/op")+" writes", m.v("%.1f s", "PostByPopularAuthor/design=fan-out-on-write", "sec/op"))
	line("**Start to ready**, median of 20", m.v("%.1f ms", start, "deployed-ms"),
		m.v("%.2f times", start, "of-hello")+" hello-world; "+m.v("%.2f times", start, "of-linked")+" hello-world with the Firestore client linked")
	fmt.Fprintf(&out, "\nMeasured by `make bench-scale`, emulator included, on %s, %s cores, %s GiB, %s.\n",
		m.machine["cpu"], m.machine["cores"], m.machine["memory-gib"], m.machine["go"])
	if len(m.missing) > 0 {
		return "", fmt.Errorf("no results for %s", strings.Join(m.missing, ", "))
	}
	return out.String(), nil
}
