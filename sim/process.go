package sim

import "slices"

// Process is something that runs on a node in virtual time, such as a host driven by its game loop.
//
// Run gets the node's clock, does what there is to do, and gives the time of that clock at which it wants to run next;
// math.MaxInt64 if it waits for datagrams alone. It is called once when it is attached, at the time it asked for, and
// after a datagram has come in, which is once for all that came at one moment. It reads until nothing waits, or asks to
// run again at once.
type Process interface {
	Run(now int64) (next int64)
}

// ProcessFunc is a function as a Process.
type ProcessFunc func(now int64) (next int64)

// Run calls f.
func (f ProcessFunc) Run(now int64) (next int64) { return f(now) }

// Attach runs p on the node until the node is killed. It is woken by datagrams to the given sockets, or to all sockets
// of the node if none are given. Processes run in the order in which they became due. detach ends it.
func (n *Node) Attach(p Process, sockets ...*Socket) (detach func()) {
	t := &task{node: n, process: p, next: n.Clock(), everything: len(sockets) == 0, position: -1}
	n.tasks = append(n.tasks, t)
	for _, s := range sockets {
		s.tasks = append(s.tasks, t)
	}
	t.arm()
	return t.end
}

// Wake runs the processes of the node at this moment, as a datagram would: for programs that were given work from
// outside of their Run.
func (n *Node) Wake() {
	for _, t := range n.tasks {
		t.wake()
	}
}

// task is a process and when it is due.
type task struct {
	moment
	node       *Node
	process    Process
	next       int64 // what Run asked for, on the node's clock
	woken      bool  // by a datagram
	everything bool  // woken by all sockets of the node
	ended      bool
	position   int // in wakes, -1 if it is not there
}

// arm computes when the task is due and puts it where it belongs among the others.
func (t *task) arm() {
	n := t.node
	due := n.clock.when(t.next)
	if t.woken {
		due = n.nw.now
	}
	due = max(due, n.nw.now, n.frozen, n.asleep)
	if due == never {
		n.nw.wakes.remove(t)
		return
	}
	t.moment = n.nw.moment(due)
	n.nw.wakes.fix(t)
}

// wake makes the task run as soon as the node runs.
func (t *task) wake() {
	if !t.woken && !t.ended {
		t.woken = true
		t.arm()
	}
}

func (t *task) run() {
	t.woken = false
	next := t.process.Run(t.node.Clock())
	if !t.ended {
		t.next = next
		t.arm()
	}
}

// end takes the task away for good.
func (t *task) end() {
	isThis := func(o *task) bool { return o == t }
	n := t.node
	t.ended = true
	n.nw.wakes.remove(t)
	n.tasks = slices.DeleteFunc(n.tasks, isThis)
	for _, s := range n.sockets {
		s.tasks = slices.DeleteFunc(s.tasks, isThis)
	}
}

// rearm brings the tasks of the node in line with its clock.
func (n *Node) rearm() {
	for _, t := range n.tasks {
		t.arm()
	}
}

// wakeHeap is a binary heap of tasks that know their position, so that one can be moved when its time changes.
type wakeHeap []*task

// fix moves t to where it belongs, and adds it if it is not in the heap.
func (h *wakeHeap) fix(t *task) {
	if t.position < 0 {
		t.position = len(*h)
		*h = append(*h, t)
	}
	h.settle(t)
}

// remove takes t out, if it is there.
func (h *wakeHeap) remove(t *task) {
	i := t.position
	if i < 0 {
		return
	}
	a := *h
	last := a[len(a)-1]
	a[len(a)-1] = nil
	*h = a[:len(a)-1]
	t.position = -1
	if last != t {
		a[i], last.position = last, i
		h.settle(last)
	}
}

func (h wakeHeap) settle(t *task) {
	i := t.position
	for i > 0 && t.before(h[(i-1)/2].moment) {
		h.place(h[(i-1)/2], i)
		i = (i - 1) / 2
	}
	for {
		child := 2*i + 1
		if child+1 < len(h) && h[child+1].before(h[child].moment) {
			child++
		}
		if child >= len(h) || !h[child].before(t.moment) {
			break
		}
		h.place(h[child], i)
		i = child
	}
	h.place(t, i)
}

func (h wakeHeap) place(t *task, i int) { h[i], t.position = t, i }
