package guard

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/indexfile"
)

// LimitGuard decides which commits are within Firestore's limits: see [MaxDocumentBytes] and the constants beside it.
type LimitGuard struct {
	file    *indexfile.File
	readers readers
}

// reader reads documents in their current state, by their full names. Documents that do not
// exist are missing.
type reader func(ctx context.Context, database string, names []string) (map[string]fields, error)

// check returns why production rejects a request, or nil. transactions has the writes of the request by transaction: all writes of a
// Commit in one, each write of a BatchWrite alone. err means that check could not decide. entries is the largest number of index
// entries that one transaction changes.
func (g *LimitGuard) check(ctx context.Context, database string, size int, transactions [][]*pb.Write, read reader) (entries int, refusal, err error) {
	if size > MaxRequestBytes {
		return 0, refused("a commit of %d writes: its request has %s bytes, more than the %s of a request", len(slices.Concat(transactions...)), group(size), group(MaxRequestBytes)), nil
	}
	before, err := g.before(ctx, database, transactions, read)
	if err != nil {
		return 0, nil, err
	}
	for _, writes := range transactions {
		n, refusal := g.transaction(writes, before)
		if refusal != nil {
			return 0, refusal, nil
		}
		entries = max(entries, n)
	}
	return entries, nil, nil
}

// unknown returns the documents that must be read before the writes: all
// documents except new ones.
func unknown(writes []*pb.Write) []string {
	first := map[string]bool{} // whether it has to be read
	for _, w := range writes {
		if name, changes := target(w); changes {
			if _, seen := first[name]; !seen {
				first[name] = !creates(w)
			}
		}
	}
	maps.DeleteFunc(first, func(_ string, read bool) bool { return !read })
	return slices.Sorted(maps.Keys(first))
}

// change is a document before and after the writes.
type change struct {
	name          string
	before, after fields
	transforms    int
}

// changes returns one change for each document, in the order of their first writes.
func changes(writes []*pb.Write, before map[string]fields) []*change {
	var all []*change
	byName := map[string]*change{}
	for _, w := range writes {
		name, changes := target(w)
		if !changes {
			continue
		}
		c := byName[name]
		if c == nil {
			c = &change{name: name, before: before[name], after: before[name]}
			byName[name] = c
			all = append(all, c)
		}
		c.after = apply(c.after, w)
		c.transforms += len(w.GetUpdateTransforms()) + len(w.GetTransform().GetFieldTransforms())
	}
	return all
}

// transaction returns why production rejects the writes of one transaction, or nil, and how many index entries they change.
func (g *LimitGuard) transaction(writes []*pb.Write, before map[string]fields) (entries int, refusal error) {
	total := 0
	largest, largestBytes := "", 0
	all := changes(writes, before)
	for _, c := range all {
		path := indexfile.PathOf(c.name)
		if err := g.document(path, c); err != nil {
			return 0, err
		}
		kept := c.after
		if kept == nil {
			kept = c.before
		}
		if kept == nil {
			continue // a delete of nothing
		}
		changed := g.changed(c)
		entries += changed.Count
		bytes := indexfile.DocumentBytes(path, kept) + changed.Bytes
		if total += bytes; bytes > largestBytes {
			largest, largestBytes = path, bytes
		}
	}
	if total > MaxTransactionBytes {
		return 0, refused("a transaction that writes %d documents: with the index entries that it changes it has %s bytes, more than the %s of a transaction; most of all %s: %s",
			len(all), group(total), group(MaxTransactionBytes), largest, group(largestBytes))
	}
	return entries, nil
}

func state(path string, f fields) indexfile.Document {
	if f == nil {
		return indexfile.Document{}
	}
	return indexfile.NewDocument(path, f)
}

// document returns why production rejects a changed document; nil: it does not.
func (g *LimitGuard) document(path string, c *change) error {
	over := func(what string, got, limit int) error {
		return refused("%s: %s, %s, more than %s", path, what, group(got), group(limit))
	}
	if n := indexfile.NameBytes(path); n > MaxNameBytes {
		return over("bytes of its name", n, MaxNameBytes)
	}
	if c.transforms > MaxTransforms {
		return over("field transforms", c.transforms, MaxTransforms)
	}
	if c.after == nil {
		return nil
	}
	if n := indexfile.DocumentBytes(path, c.after); n > MaxDocumentBytes {
		return over("bytes of the document", n, MaxDocumentBytes)
	}
	for _, name := range slices.Sorted(maps.Keys(c.after)) {
		if n := indexfile.ValueBytes(c.after[name]); n > MaxValueBytes {
			return over("bytes of the field "+name, n, MaxValueBytes)
		}
		if n := depth(c.after[name]); n > MaxDepth {
			return over("maps and arrays in each other in the field "+name, n, MaxDepth)
		}
	}
	entries := g.file.Entries(indexfile.NewDocument(path, c.after))
	sum := indexfile.Sum(entries)
	if sum.Count > MaxIndexEntries {
		return over("index entries ("+most(entries, func(e indexfile.Entries) int { return e.Count })+")", sum.Count, MaxIndexEntries)
	}
	if sum.Largest > MaxIndexEntryBytes {
		return over("bytes of an index entry", sum.Largest, MaxIndexEntryBytes)
	}
	if sum.Bytes > MaxIndexEntriesBytes {
		return over("bytes of index entries ("+most(entries, func(e indexfile.Entries) int { return e.Bytes })+")", sum.Bytes, MaxIndexEntriesBytes)
	}
	return nil
}

// most returns the names of the three indexes with the largest parts of a sum.
func most(entries []indexfile.Entries, part func(indexfile.Entries) int) string {
	slices.SortStableFunc(entries, func(a, b indexfile.Entries) int { return cmp.Compare(part(b), part(a)) })
	var names []string
	for _, e := range entries[:min(3, len(entries))] {
		names = append(names, group(part(e))+" in "+e.Index.String())
	}
	return strings.Join(names, ", ")
}

func depth(v *pb.Value) int {
	deepest := -1
	for _, e := range v.GetArrayValue().GetValues() {
		deepest = max(deepest, depth(e))
	}
	for _, e := range v.GetMapValue().GetFields() {
		deepest = max(deepest, depth(e))
	}
	if v.GetArrayValue() == nil && v.GetMapValue() == nil {
		return 0
	}
	return 1 + max(0, deepest)
}

func refused(format string, args ...any) error {
	return status.Errorf(codes.InvalidArgument, "production refuses this commit: "+format, args...)
}

// group formats a number with its thousands separated: 40,012.
func group(n int) string { return message.NewPrinter(language.English).Sprint(n) }
