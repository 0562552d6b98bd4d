// Package joining plays whole sessions of the system messages over each transport, and over networks that lose. It has tests only.
package joining
