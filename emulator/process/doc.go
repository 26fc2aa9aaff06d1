// Package process starts programs that end with this process, ends them in
// order, and shows the last lines of what they printed.
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
// A child is in a process group of its own, so that a Ctrl-C at the terminal
// reaches only its parent, which ends it in order, and a shell script ends
// together with what it has started. A parent that is killed can end nothing:
// on Linux the system kills the child then, elsewhere the child stays. On
// systems that are not Unix there are no groups, and ending is killing.
//
// It is not for a program whose output is read while it runs, or that is
// waited for until it is done: that is [os/exec] itself.
package process
