// Package long tests direct imports of large files, also killed ones, and with triggers and clients that write during
// the import.
package long
