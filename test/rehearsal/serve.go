package rehearsal

import (
	"context"
	"os"
	"strconv"
	"time"

	"example.com/relationindex/emulator/process"
)

const stopGrace = 5 * time.Second // Cloud Run gives 10

// Serve starts a program as the named function and returns when it answers, and at
// which URL. env is its environment, but for FUNCTION_TARGET and PORT; dir is where
// it runs; log gets what it prints. Stop the process when it is no longer needed.
// The error of one that ends by itself has its last words.
func Serve(ctx context.Context, program, function string, env []string, dir string, log *os.File) (*process.Child, string, error) {
	child, host, err := process.Server{
		Name:  "function " + function,
		Ports: []int{0},
		Start: func(ports []int) (*process.Child, error) {
			env := append([]string{"FUNCTION_TARGET=" + function, "PORT=" + strconv.Itoa(ports[0])}, env...)
			return process.StartIn(dir, []string{program}, env, log)
		},
		Ready: func(ctx context.Context, host string) bool {
			return process.Status(ctx, "http://"+host+"/") != 0 // whatever it answers: Cloud Run asks for no more than an open port
		},
		Grace: stopGrace,
	}.Serve(ctx)
	return child, "http://" + host + "/", err
}
