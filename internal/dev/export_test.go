package dev

// KillFunctions kills the child that serves the functions.
func KillFunctions(s *System) error { return s.functions.cmd.Process.Kill() }
