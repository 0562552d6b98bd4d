// Derby is a game server and its players, who meet in a lobby of package derby and play a short match: each bats once an inning, and everybody else watches.
//
//	go run ./examples/derby [-over sockets|loopback|sim] [-players 4] [-innings 2]
//
// It prints what the server sees, and ends with 0 if all that it promises was kept: each player got all reliable messages once and in order, saw no pose
// step back and each swing once, was told the price it asked for, and has the same roster and bats as the server.
//
// Read park/park.go first: it is what server and players call each other, and calls.go is how they do it. Then server.go and player.go have the game, venue.go what they meet over,
// and match.go the loop and the promises.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
)

func main() {
	over := flag.String("over", "sockets", "what the match is played over: sockets, loopback, or sim, which loses a tenth of all datagrams")
	players := flag.Int("players", 4, "how many play")
	innings := flag.Int("innings", 2, "how many innings they play")
	flag.Parse()
	log.SetFlags(0)

	if *players < 1 || *players > 16 || *innings < 1 || *innings > 255 {
		log.Fatal("1 to 16 can play, and 1 to 255 innings")
	}
	venue, err := venueNamed(*over)
	check(err)
	defer venue.close()
	m, err := newMatch(os.Stdout, venue, rules{players: *players, innings: *innings})
	check(err)
	for i := range *players {
		_, err := m.join(fmt.Sprint(names[i%len(names)], " ", i+1))
		check(err)
	}
	check(m.play())
}

var names = []string{"Ann", "Bob", "Cem", "Dora", "Eve", "Finn", "Gwen", "Hugo"}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
