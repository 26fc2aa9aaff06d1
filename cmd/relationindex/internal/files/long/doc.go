// Package long tests what a direct import makes of large files, what is left when it is killed, and what triggers and
// clients do meanwhile.
package long
