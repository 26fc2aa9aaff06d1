// Package dev has the commands that run a system on this machine: dev, demo, and
// functions, which the other two start as a child. Package processes is the system.
package dev
