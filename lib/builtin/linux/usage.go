package linux

import (
	"context"
	"fmt"
	"io"
	"syscall"
	"time"

	"pmtools/lib/builtin/internal/procfs"
)

// How file systems are asked for their space: a local one answers at once, from memory. Others may
// never answer, as their server or their program is gone, and then not even a signal ends the thread
// that has asked. They are asked by children, all at the same time, for which a fetch waits a second.
// A child without an answer is left alone, and its file system is not asked again before it ends.

const (
	answerTime = time.Second      // that a fetch waits
	askTime    = 30 * time.Second // after which a child is killed, so that its file system is asked again
	maxAsked   = 8                // children that a fetch waits for at the same time
)

// addUsage asks the mounted file systems of a list for their space and their files.
func (l *collector) addUsage(t, list *procfs.Table) {
	add := func(of *procfs.Row, fs *filesystem) {
		setUsage(t, t.Row(of.Inst), list.Cell(of, []byte("readonly")).Num, fs)
	}
	asked := map[string][]*procfs.Row{} // several are mounted over each other
	var dirs []string
	for i := range list.Rows {
		of := &list.Rows[i]
		dir := string(list.Cell(of, []byte("dir")).Text)
		if l.remote.KindOf(dir) != "" {
			if asked[dir] == nil {
				dirs = append(dirs, dir)
			}
			asked[dir] = append(asked[dir], of)
			continue
		}
		var fs filesystem
		if l.statfs(dir, &fs) == nil {
			add(of, &fs)
		}
	}
	if len(dirs) == 0 {
		return
	}
	silent := l.asker.all(dirs, func(dir string, fs *filesystem) {
		for _, of := range asked[dir] {
			add(of, fs)
		}
	})
	for _, dir := range silent {
		t.Refused = syscall.ETIMEDOUT
		l.asker.tell(dir, fmt.Errorf("%q: the file system (%s) does not answer", dir, l.remote.KindOf(dir)))
	}
}

// An asker asks file systems that may not answer.
type asker struct {
	ask       func(ctx context.Context, dir string, fs *filesystem) error
	report    func(error)
	questions map[string]*question // of file systems that have not answered yet, by directory
	reported  map[string]bool      // reported since the last answer
}

type question struct {
	ended chan struct{}
	fs    filesystem // and err: valid after the end
	err   error
}

func (q *question) isEnded() bool {
	select {
	case <-q.ended:
		return true
	default:
		return false
	}
}

// all asks the file systems of directories and calls add for each that answers in time. It returns those that do not answer.
func (a *asker) all(dirs []string, add func(dir string, fs *filesystem)) (silent []string) {
	deadline, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	var asked []string
	slots := make(chan struct{}, maxAsked)
	for _, dir := range dirs {
		if q := a.questions[dir]; q != nil && !q.isEnded() {
			silent = append(silent, dir) // since an earlier fetch
			continue
		}
		select {
		case slots <- struct{}{}:
			a.questions[dir] = a.start(dir, slots)
			asked = append(asked, dir)
		case <-deadline.Done(): // the next fetch asks it
		}
	}
	for _, dir := range asked {
		q := a.questions[dir]
		select {
		case <-q.ended:
		case <-deadline.Done():
		}
		if !q.isEnded() {
			silent = append(silent, dir)
			continue
		}
		delete(a.questions, dir)
		delete(a.reported, dir)
		if q.err == nil {
			add(dir, &q.fs)
		}
	}
	return silent
}

func (a *asker) start(dir string, slots chan struct{}) *question {
	q := &question{ended: make(chan struct{})}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), askTime)
		defer cancel()
		q.err = a.ask(ctx, dir, &q.fs)
		close(q.ended)
		<-slots
	}()
	return q
}

// tell reports that a file system does not answer, once until it has answered.
func (a *asker) tell(dir string, err error) {
	if a.report != nil && !a.reported[dir] {
		a.reported[dir] = true
		a.report(err)
	}
}

// askHelper returns a function that queries a file system by a helper process, and parses the
// output of Serve.
func askHelper(helper func(ctx context.Context, dir string) (string, error)) func(ctx context.Context, dir string, fs *filesystem) error {
	return func(ctx context.Context, dir string, fs *filesystem) error {
		line, err := helper(ctx, dir)
		if err != nil {
			return err
		}
		_, err = fmt.Sscan(line, &fs.blocks, &fs.free, &fs.avail, &fs.files, &fs.ffree, &fs.size)
		return err
	}
}

// helperFlag is the argument of a child of Helper before its directory.
const helperFlag = "--ask-file-system"

// IsHelper reports whether the arguments of the program are those of a child that Helper has started.
func IsHelper(args []string) bool { return len(args) == 3 && args[1] == helperFlag }

// Serve does the work of a child that Helper has started, and writes the answer.
func Serve(args []string, w io.Writer) error {
	var fs filesystem
	if err := statfs(args[2], &fs); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, fs.blocks, fs.free, fs.avail, fs.files, fs.ffree, fs.size)
	return err
}
