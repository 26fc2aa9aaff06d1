package rehearsal

import (
	"context"
	"os"
	"strconv"
	"time"

	"example.com/relationindex/emulator/process"
)

const stopGrace = 5 * time.Second // Cloud Run gives 10

// Serve starts a program as the named function, and returns its process and URL once it answers. env
// is the environment, apart from FUNCTION_TARGET and PORT. dir is its working directory, and log gets
// its output. Stop the process when you no longer need it. If the process ends by itself, the error
// has its last output.
func Serve(ctx context.Context, program, function string, env []string, dir string, log *os.File) (*process.Child, string, error) {
	child, host, err := process.Server{
		Name:  "function " + function,
		Ports: []int{0},
		Start: func(ports []int) (*process.Child, error) {
			env := append([]string{"FUNCTION_TARGET=" + function, "PORT=" + strconv.Itoa(ports[0])}, env...)
			return process.StartIn(dir, []string{program}, env, log)
		},
		Ready: func(ctx context.Context, host string) bool {
			return process.Status(ctx, "http://"+host+"/") != 0 // with any status: Cloud Run needs only an open port
		},
		Grace: stopGrace,
	}.Serve(ctx)
	return child, "http://" + host + "/", err
}
