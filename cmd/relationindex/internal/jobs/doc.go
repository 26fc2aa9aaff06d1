// Package jobs has the command jobs: list, show, retry, cancel and wait, for the
// person who looks after the functions' bulk work. It runs no job: package chunker
// does.
package jobs
