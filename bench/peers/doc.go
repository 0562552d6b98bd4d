// Peers measures gannet beside other ways to send messages.
package main
