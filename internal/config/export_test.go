package config

// Set is a configuration with one field set.
var Set = set

// Bounds returns the bounds of a number or a duration.
func (s Setting) Bounds() (lowest, highest int64) { return s.min, s.max }
