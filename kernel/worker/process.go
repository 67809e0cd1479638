package worker

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// process is one child and the near end of the line to it.
type process struct {
	cmd   *exec.Cmd
	down  line
	files []io.Closer // near ends, closed when it has ended
	out   *output
	ready chan struct{} // closed when the engine is up, or failed with failed
	gone  chan struct{} // closed when it has ended
	dead  chan struct{} // closed when all its output is delivered too

	mu      sync.Mutex
	failed  error
	reason  string // why we ended it; empty: it ended by itself
	reaped  bool
	people  sync.WaitGroup // questions to the person that wait
	largest []engine.Size  // what held its memory when it was asked last
	asks    map[uint64]chan frame
	asked   uint64
	end     ending // valid after dead
}

// ending is what is known of a child that has ended.
type ending struct {
	status  syscall.WaitStatus
	reason  string        // ours, else empty
	stderr  string        // text that was kept back
	report  string        // crash output
	limit   int64         // of its memory
	peak    int64         // of its memory; 0: not known
	largest []engine.Size // of its names
}

// launch starts a child. It does not wait for its engine.
func launch(cfg Config, d *dial) (*process, error) {
	if err := mayStart(); err != nil {
		return nil, err
	}
	nonce := make([]byte, 8)
	rand.Read(nonce) // never fails
	start := startBody{Nonce: hex.EncodeToString(nonce)[:nonceLen], Limits: d.get(), Shown: d.shown()}
	p := &process{ready: make(chan struct{}), dead: make(chan struct{}), gone: make(chan struct{}),
		asks: map[uint64]chan frame{}}
	p.out = newOutput(d, p.answered)
	p.out.ask = p.askPerson

	near, texts, far, err := pipes()
	if err != nil {
		return nil, err
	}
	err = p.exec(cfg, far)
	for _, f := range far {
		f.Close()
	}
	p.files = append(p.files, near[0], near[1], near[2], texts[0], texts[1])
	if err != nil {
		p.closeFiles()
		return nil, err
	}
	p.down.w = near[0]
	go p.out.pump()
	go p.follow(near, texts, start.Nonce)
	go p.watch()
	if p.down.send(downStart, 0, start) != nil {
		p.kill("")
	}
	return p, nil
}

// pipes makes the line: near ends of fd 3 as we write it, fds 4 and 5 as we read
// them, and the texts of fds 1 and 2; and the far ends, in the same order.
func pipes() (near [3]*os.File, texts [2]*textPipe, far [5]*os.File, err error) {
	defer func() {
		if err == nil {
			return
		}
		for _, f := range append(near[:], far[:]...) {
			f.Close() // nothing, where it is nil
		}
		for _, t := range texts {
			if t != nil {
				t.Close()
			}
		}
	}()
	for i := range near {
		r, w, err := os.Pipe()
		if err != nil {
			return near, texts, far, err
		}
		if near[i], far[i] = r, w; i == 0 {
			near[i], far[i] = w, r
		}
	}
	for i := range texts {
		if texts[i], far[3+i], err = newTextPipe(); err != nil {
			return near, texts, far, err
		}
	}
	return near, texts, far, nil
}

// closeFiles closes the near ends.
func (p *process) closeFiles() {
	for _, f := range p.files {
		f.Close()
	}
}

func (p *process) exec(cfg Config, far [5]*os.File) error {
	path, err := executable()
	if err != nil {
		return err
	}
	if cfg.Dir != "" { // the system would say that the program is not there
		if st, err := os.Stat(cfg.Dir); err != nil || !st.IsDir() {
			return fmt.Errorf("its folder %s is not there", cfg.Dir)
		}
	}
	p.cmd = exec.Command(path)
	p.cmd.Args = cfg.Args
	p.cmd.Dir = cfg.Dir
	p.cmd.Env = append(append(os.Environ(), cfg.Env...), variable+"=1")
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = cfg.Stdin, far[3], far[4]
	if cfg.Stdin == nil {
		p.cmd.Stdin = nil // a nil *os.File is not a nil Reader
	}
	p.cmd.ExtraFiles = []*os.File{far[0], far[1], far[2]}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // which leads a group too
	return p.cmd.Start()
}

// follow reads all pipes to their ends and reaps the child.
func (p *process) follow(near [3]*os.File, pipes [2]*textPipe, nonce string) {
	var texts, crash sync.WaitGroup
	for i, r := range pipes {
		texts.Go(func() { p.readText(i, r, nonce) })
	}
	var report []byte
	crash.Go(func() {
		report = p.readReport(near[2])
	})
	err := p.readFrames(near[1])
	// Only the child holds fd 4, so it is gone or closed it: its status is fixed
	// before the kill, which reaches what it leaves behind.
	if !errors.Is(err, io.EOF) {
		p.kill("the line broke: " + err.Error())
	} else if !ends(p.cmd.Process.Pid) {
		p.kill("the cell closed the file by which the worker answers")
	}
	p.extinguish()
	p.mu.Lock()
	p.reaped = true
	p.mu.Unlock()
	p.cmd.Wait()
	close(p.gone)
	near[2].SetReadDeadline(time.Now().Add(drainWait))
	enough := time.AfterFunc(drainWait, func() { // a stray grandchild may hold a pipe open
		for _, r := range pipes {
			r.stop()
		}
	})
	texts.Wait()
	crash.Wait()
	enough.Stop()
	p.finish(string(report))
	p.closeFiles()
}

func (p *process) readText(i int, r io.Reader, nonce string) {
	s := newScanner(nonce)
	buf := make([]byte, 64<<10)
	add := func(text []byte) { p.out.merge.add(i, text) }
	var rush rush
	for {
		n, err := r.Read(buf)
		p.out.mu.Lock()
		p.out.throttle()
		s.feed(buf[:n], add)
		if err != nil {
			s.finish(add)
		}
		p.out.mu.Unlock()
		if err != nil {
			return
		}
		if rush.on(n, s.next) {
			time.Sleep(rushPause)
		}
	}
}

// rush notices a program that prints line after line. To wake a reader for each
// costs both ends more than the line does, so the reader lets some come together
// first: nobody is shown text that soon, and a mark ends the rush.
type rush struct {
	short int    // reads of little text since the last mark
	mark  uint32 // the one that comes next
}

// on takes the size of a read and the number of the next mark, and says whether
// the next read may wait.
func (r *rush) on(n int, mark uint32) bool {
	if r.short++; n >= rushBytes || mark != r.mark {
		r.short, r.mark = 0, mark
	}
	return r.short >= rushReads
}

// readReport reads the crash output, of which the first part is kept.
func (p *process) readReport(r io.Reader) (report []byte) {
	buf := make([]byte, 16<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 && len(report) == 0 {
			p.out.crashing()
		}
		report = append(report, buf[:min(n, crashBytes-len(report))]...)
		if err != nil {
			return report
		}
	}
}

func (p *process) readFrames(r io.Reader) error {
	r = bufio.NewReaderSize(r, lineBuffer)
	for {
		f, err := readFrame(r)
		if err != nil {
			return err
		}
		p.out.mu.Lock()
		p.out.merge.put(f)
		p.out.mu.Unlock()
	}
}

// finish delivers what is left and closes dead behind it.
func (p *process) finish(report string) {
	p.mu.Lock()
	end := ending{reason: p.reason, report: report, largest: p.largest, limit: p.out.dial.get().Memory}
	p.mu.Unlock()
	end.status, _ = p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	end.peak = peak(p.cmd.ProcessState)
	o := p.out
	o.mu.Lock()
	o.merge.finish()
	end.stderr = o.lastWords(end.crashed())
	o.end(o.current)
	o.deliver(1, func() {
		p.mu.Lock()
		p.end = end
		for id, c := range p.asks {
			close(c)
			delete(p.asks, id)
		}
		p.asks = nil
		p.mu.Unlock()
		close(p.dead)
	})
	o.mu.Unlock()
	o.close()
}

// kill ends the child and all that it started. The first reason
// is kept; an empty one leaves it to the status.
func (p *process) kill(reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped { // its number may be another's by now
		return
	}
	if p.reason == "" {
		p.reason = reason
	}
	p.extinguish()
}

// extinguish ends the child, its group, and the groups of commands that cells
// started: they are in the child's session. The child is not reaped yet.
func (p *process) extinguish() {
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	sweep(p.cmd.Process.Pid)
}

// execute sends a cell.
func (p *process) execute(c engine.Cell, s engine.Sink) *running {
	r := p.out.begin(c, s)
	if p.down.send(downExecute, c.ID, c) != nil {
		p.kill("") // it is gone, or as good as gone
	}
	return r
}

// cancel asks a cell to stop.
func (p *process) cancel(r *running) {
	p.down.send(downCancel, r.ID, nil)
	r.finish()
}

// answered takes the frames without a place in the output.
func (p *process) answered(f frame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f.kind != upReady {
		if c := p.asks[f.id]; c != nil {
			c <- f
			delete(p.asks, f.id)
		}
		return
	}
	var b readyBody
	if err := f.unmarshal(&b); err != nil {
		b.Err = err.Error()
	}
	if b.Err != "" {
		p.failed = errors.New(b.Err)
	}
	select {
	case <-p.ready:
	default:
		close(p.ready)
	}
}

// ask sends a question and waits for its answer.
func (p *process) ask(done <-chan struct{}, kind byte, body, answer any) error {
	c := make(chan frame, 1)
	p.mu.Lock()
	if p.asks == nil {
		p.mu.Unlock()
		return errNoWorker
	}
	p.asked++
	id := p.asked
	p.asks[id] = c
	p.mu.Unlock()
	if err := p.down.send(kind, id, body); err != nil {
		return err
	}
	select {
	case f, ok := <-c:
		if !ok {
			return errNoWorker
		}
		return f.unmarshal(answer)
	case <-done:
		p.mu.Lock()
		delete(p.asks, id)
		p.mu.Unlock()
		return fmt.Errorf("no answer in time")
	}
}

// refusal is why its engine did not start, if it said so.
func (p *process) refusal() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed
}

// isReady says whether the engine answers, without waiting.
func (p *process) isReady() bool {
	select {
	case <-p.dead:
		return false
	default:
	}
	select {
	case <-p.ready:
		return p.refusal() == nil
	default:
		return false
	}
}

var errNoWorker = errors.New("no worker is up")
