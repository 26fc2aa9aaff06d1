// Package jobs has the command jobs: list, show, retry, cancel and wait, for the
// person who looks after the functions' bulk work. It is not what carries jobs
// out: see package chunker.
package jobs
