// Package load writes many follows at once, for an import. It serves commands and tests
// alone. No function links it.
package load
