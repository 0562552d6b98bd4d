package main

import (
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// vocabulary says which words something takes, and for each how it is written: "" for a bare word, else a sample of its value.
type vocabulary map[string]string

var verbs = vocabulary{"catalogue": "", "message": "", "enum": ""} // beside the words of values

// callVerbs are those of calls.
var callVerbs = vocabulary{"rpc:server": "", "rpc:client": "", "rpc:call": "", "rpc:arg": ""}

var catalogueWords = vocabulary{
	"protocol": "CHAT-1", "codec": "bytes", "states": "lobby,playing", "hostids": "16", "clientids": "16", "reserved": "17-29,39", "nofuzz": "",
}

var messageWords = vocabulary{
	"id": "10", "from": "client", "delivery": "ordered", "channel": "0", "states": "playing", "ttl": "200ms", "urgent": "", "large": "", "raw": "",
}

// valueWords say how a value travels. They stand in tags and, but for those of fieldWords, above types.
var valueWords = vocabulary{
	"bits": "5", "int": "13", "frac": "9", "yaw": "9", "lenbits": "11", "min": "0", "max": "64",
	"ufixed": "", "fixed": "", "unorm": "", "snorm": "", "degrees": "", "radians": "",
	"unit": "", "quat": "", "yawquat": "", "yawunit": "", "yawvec": "", "rgb": "", "rgba": "", "guid": "",
}

var fieldWords = vocabulary{"-": "", "if": "Name", "rest": ""}

func (v vocabulary) names() []string { return slices.Sorted(maps.Keys(v)) }

func (v vocabulary) with(other vocabulary) vocabulary {
	both := maps.Clone(v)
	maps.Copy(both, other)
	return both
}

// wordSet are the words of one directive or tag, each at most once.
type wordSet struct {
	where    string // how messages call what they stand in, such as "net:message"
	pos      token.Pos
	words    map[string]word
	problems *problems
}

// check sorts out words that are unknown, doubled, or written with a value where there is none and the other way round.
func (v vocabulary) check(where string, pos token.Pos, words []word, p *problems) wordSet {
	set := wordSet{where, pos, map[string]word{}, p}
	for _, w := range words {
		sample, known := v[w.key]
		_, twice := set.words[w.key]
		switch {
		case !known:
			p.errorf(w.pos, "%s does not know %s: %s", where, w.key, didYouMean(w.key, v.names()))
		case twice:
			p.errorf(w.pos, "%s has %s twice: keep one", where, w.key)
		case sample == "" && w.valued:
			p.errorf(w.pos, "%s takes no value: write %s alone", w.key, w.key)
		case sample != "" && w.value == "":
			p.errorf(w.pos, "%s needs a value: write %s=%s", w.key, w.key, sample)
		default:
			set.words[w.key] = w
		}
	}
	return set
}

func (s wordSet) has(key string) bool {
	_, ok := s.words[key]
	return ok
}

func (s wordSet) text(key string) string { return s.words[key].value }

// at is where the word stands, or what it should stand in.
func (s wordSet) at(key string) token.Pos {
	if w, ok := s.words[key]; ok {
		return w.pos
	}
	return s.pos
}

// number gives the value of key, which is absent, or an integer from least to most.
func (s wordSet) number(key string, least, most, absent int64) int64 {
	w, ok := s.words[key]
	if !ok {
		return absent
	}
	n, err := strconv.ParseInt(w.value, 0, 64)
	if err != nil || n < least || n > most {
		s.problems.errorf(w.pos, "%s is not possible: write %s=n with n from %d to %d", w, key, least, most)
		return max(least, min(absent, most))
	}
	return n
}

// duration gives the value of key, 0 if it is absent.
func (s wordSet) duration(key string) time.Duration {
	w, ok := s.words[key]
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(w.value)
	switch {
	case isNumber(w.value):
		s.problems.errorf(w.pos, "%s needs a unit: write %sms or %ss", w, w, w)
	case err != nil:
		s.problems.errorf(w.pos, "%s is no duration: write %s=200ms or %s=2s", w, key, key)
	case d <= 0:
		s.problems.errorf(w.pos, "%s is not possible: write a time above 0, or leave %s out", w, key)
	default:
		return d
	}
	return 0
}

// choice gives the index in names of the value of key, and absent if there is none.
func (s wordSet) choice(key string, absent int, names ...string) int {
	w, ok := s.words[key]
	if !ok {
		return absent
	}
	if i := slices.Index(names, w.value); i >= 0 {
		return i
	}
	s.problems.errorf(w.pos, "%s is not possible: %s", w, didYouMean(w.value, names))
	return max(absent, 0)
}

// list gives the parts of a value that has commas in it.
func (s wordSet) list(key string) []string {
	if !s.has(key) {
		return nil
	}
	return strings.Split(s.text(key), ",")
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// keys gives the words in the order of the alphabet.
func (s wordSet) keys() []string { return slices.Sorted(maps.Keys(s.words)) }

// without gives the words but for one.
func (s wordSet) without(key string) wordSet {
	s.words = maps.Clone(s.words)
	delete(s.words, key)
	return s
}
