// Package dev has the commands that run a system on this machine: dev, demo and
// functions. dev and demo start functions as a child process. Package processes has
// the system.
package dev
