// Package process starts programs that end with this process, ends them in
// order, and shows the last lines of their output.
//
//	log, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
//	...
//	child, err := process.Start([]string{"java", "-jar", jar}, nil, log)
//	...
//	defer child.Stop(10 * time.Second)
//	<-child.Done()
//	return child.Failure("the program") // with the end of its log
//
// A [Server] finds a free port for its program, and waits until it answers.
//
// A child is in a process group of its own. So a Ctrl-C at the terminal reaches
// only the parent, which ends the child in order, and a shell script ends together
// with the programs that it started. A killed parent cannot end its child: on Linux
// the system kills the child then, elsewhere the child stays. On systems other than
// Unix there are no groups, and Stop kills the child.
//
// For a program whose output you read while it runs, or whose end you wait for,
// use [os/exec].
package process
