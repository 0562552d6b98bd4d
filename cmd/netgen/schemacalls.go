package main

import (
	"strings"

	"github.com/gannet-net/gannet/msgs/layout"
)

// schemaMethod is a method of a contract as -schema prints it.
type schemaMethod struct {
	ID         int           `json:"id"`
	Name       string        `json:"name"`
	At         string        `json:"at"`
	Target     string        `json:"target"`
	From       string        `json:"from,omitempty"`
	Deliveries []string      `json:"deliveries"`
	Channel    int           `json:"channel"`
	States     []string      `json:"states,omitempty"`
	TTL        int64         `json:"ttlNanoseconds,omitempty"`
	Urgent     bool          `json:"urgent,omitempty"`
	Rate       *schemaRate   `json:"rate,omitempty"`
	Missing    string        `json:"missing,omitempty"`
	Wait       int64         `json:"waitNanoseconds,omitempty"`
	Phase      string        `json:"phase"`
	Arguments  schemaValues  `json:"arguments"`
	Deadline   int64         `json:"deadlineNanoseconds,omitempty"`
	Results    *schemaValues `json:"results,omitempty"`
}

// schemaRate is how often one client may call a method.
type schemaRate struct {
	Count int   `json:"count"`
	Per   int64 `json:"perNanoseconds"`
	Burst int   `json:"burst"`
}

// schemaValues are the arguments of a method or its results.
type schemaValues struct {
	MinBits int           `json:"minBits"`
	MaxBits int           `json:"maxBits"`
	Fields  []schemaField `json:"fields,omitempty"`
}

func (c *catalogue) schemaMethod(m *method) schemaMethod {
	l, call := &m.layout, &m.call
	out := schemaMethod{
		ID: int(l.ID), Name: l.Name, At: l.At.String(), Target: "static", Channel: int(l.Channel), States: c.statesIn(l.States), TTL: int64(call.ttl), Urgent: call.urgent,
		Phase: small(call.phase), Arguments: c.schemaValues(m.args), Deadline: int64(call.deadline),
	}
	for _, d := range l.Deliveries {
		out.Deliveries = append(out.Deliveries, d.String())
	}
	if l.Instance {
		out.Target, out.Missing, out.Wait = "instance", missingWords[call.missing], int64(call.wait)
	}
	if m.of.at == layout.Host {
		out.From = "any"
	}
	if l.Owner {
		out.From = "owner"
	}
	if call.rate > 0 {
		out.Rate = &schemaRate{call.rate, int64(call.per), call.burst}
	}
	if l.Reply {
		results := c.schemaValues(m.results)
		out.Results = &results
	}
	return out
}

// missingWords are the words of directives for what package rpc names otherwise.
var missingWords = map[string]string{"Discard": "discard", "Report": "error", "Queue": "queue"}

// small is a name that begins with a small letter.
func small(name string) string { return strings.ToLower(name[:1]) + name[1:] }

func (c *catalogue) schemaValues(s *structType) schemaValues {
	least, most := c.CallSizes(s.describe())
	return schemaValues{least, most, schemaFields(s)}
}
