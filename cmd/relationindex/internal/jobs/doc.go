// Package jobs has the command jobs: list, show, retry, cancel and wait. Operators use
// it to control the functions' bulk work. The package runs no job: package chunker does.
package jobs
