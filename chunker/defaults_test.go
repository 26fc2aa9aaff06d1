package chunker_test

import (
	"testing"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Package schema has the same defaults, without importing this package.
func TestDefaultsMatchConfiguration(t *testing.T) {
	c := schema.Config{}.WithDefaults()
	if c.Chunk != chunker.DefaultChunk || c.Lease != chunker.DefaultLease || names.Jobs != chunker.DefaultCollection {
		t.Errorf("%d, %v and %s there; here %d, %v and %s", c.Chunk, c.Lease, names.Jobs, chunker.DefaultChunk, chunker.DefaultLease, chunker.DefaultCollection)
	}
}
