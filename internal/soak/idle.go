package soak

import "time"

// idle is a time in which nobody has anything to say. Heartbeats have to keep every session.
func (w *world) idle() {
	w.run(w.plan.timeout + 3*time.Second)
	if missing := w.allJoined(); missing != "" {
		w.fail(OnlySilence, "nobody had anything to say for %v, and %s", w.plan.timeout+3*time.Second, missing)
	}
}

// allKnown says who does not know that all has arrived that it sent.
func (w *world) allKnown() string {
	for _, p := range w.present() {
		for _, e := range [...]*end{p.end, p.end.peer} {
			if s := e.conn.Stats(); s.InFlight > 0 || s.QueueMessages > 0 {
				return e.String()
			}
		}
	}
	return ""
}
