// Package commands has the commands that run a system on this machine: dev, demo,
// and functions, which both start as a child. The system is that of package devhost.
package commands
