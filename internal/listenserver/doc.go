// Package listenserver has no code but its tests: a host of package udp with a loopback connection among its peers, as in a game where one of
// the players hosts. What its application sees of the local player must be what it sees of a player over UDP, and the other players
// must not notice who plays where. The tests are here because neither package may know the other.
package listenserver
