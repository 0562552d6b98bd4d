// Package chaos is a script, and no code: "internal/chaos/run" plays on the real kernel what the simulator plays in virtual time. docs/chaos.md says how.
// The tests here hold that the script is one, and that the page tells of all its scenes.
package chaos
