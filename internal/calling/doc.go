// Package calling plays whole sessions of calls, in one process and over networks. It has tests only.
package calling
