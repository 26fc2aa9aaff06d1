// Package load writes many follows at once, for an import. Only commands and tests use it. No function links it.
package load
