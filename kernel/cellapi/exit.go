package cellapi

import (
	"fmt"
	"log"
	"runtime"
	"sync/atomic"
)

// ExitError is the panic value of a call that would have ended the process or
// the goroutine of a notebook.
type ExitError struct {
	Call string // as in "os.Exit(3)"
	Code int
}

// Error says that the call did nothing.
func (e *ExitError) Error() string { return e.Call + " is not run in a notebook" }

var exit atomic.Pointer[func(code int)]

// SetExit makes os.Exit and the Fatal functions of cells real: they call f, which should
// not return. A nil f makes them panic with *[ExitError] again. The function
// that is returned sets the one before.
func SetExit(f func(code int)) (restore func()) {
	old := exit.Swap(&f)
	return func() { exit.Store(old) }
}

// Exit stands in cells for os.Exit.
func Exit(code int) { leave("os.Exit("+fmt.Sprint(code)+")", code) }

// Fatal stands in cells for log.Fatal.
func Fatal(v ...any) { fatal("log.Fatal", fmt.Sprint(v...)) }

// Fatalf stands in cells for log.Fatalf.
func Fatalf(format string, v ...any) { fatal("log.Fatalf", fmt.Sprintf(format, v...)) }

// Fatalln stands in cells for log.Fatalln.
func Fatalln(v ...any) { fatal("log.Fatalln", fmt.Sprintln(v...)) }

// LoggerFatal stands in cells for the method Fatal of *log.Logger.
func LoggerFatal(l *log.Logger) func(v ...any) {
	return func(v ...any) { loggerFatal(l, "Fatal", fmt.Sprint(v...)) }
}

// LoggerFatalf stands in cells for the method Fatalf of *log.Logger.
func LoggerFatalf(l *log.Logger) func(format string, v ...any) {
	return func(format string, v ...any) { loggerFatal(l, "Fatalf", fmt.Sprintf(format, v...)) }
}

// LoggerFatalln stands in cells for the method Fatalln of *log.Logger.
func LoggerFatalln(l *log.Logger) func(v ...any) {
	return func(v ...any) { loggerFatal(l, "Fatalln", fmt.Sprintln(v...)) }
}

func loggerFatal(l *log.Logger, method, text string) {
	_ = l.Output(3, text) // a log that cannot be written is no reason to go on
	leave("(*log.Logger)."+method, 1)
}

// Goexit stands in cells for runtime.Goexit.
func Goexit() {
	if ending() == nil {
		panic(&ExitError{"runtime.Goexit()", 0})
	}
	runtime.Goexit()
}

func fatal(call, text string) {
	_ = log.Output(3, text) // a log that cannot be written is no reason to go on
	leave(call, 1)
}

func leave(call string, code int) {
	if f := ending(); f != nil {
		f(code)
	}
	panic(&ExitError{call, code})
}

func ending() func(code int) {
	if p := exit.Load(); p != nil {
		return *p
	}
	return nil
}
