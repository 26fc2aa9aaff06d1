package dev

import "os"

// KillFunctions kills the child that serves the functions.
func KillFunctions(s *System) error {
	p, err := os.FindProcess(s.functions.PID())
	if err != nil {
		return err
	}
	return p.Kill()
}
