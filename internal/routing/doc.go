// Package routing plays whole sessions of typed messages over each transport, and over bad networks. It has tests only.
package routing
