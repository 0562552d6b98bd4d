package msgs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/transport"
)

func ignoreSay(*msgs.In, *Say) {}

// mistakes are what NewRouter says of c, line by line.
func mistakes(t *testing.T, c msgs.Config) []string {
	r, err := msgs.NewRouter(c)
	require.Error(t, err)
	require.Nil(t, r)
	return strings.Split(err.Error(), "\n")
}

func TestAllMistakesOfAConfigAreToldAtOnce(t *testing.T) {
	require.Equal(t, []string{
		"msgs: Side: must be Host or Client",
		"msgs: Malformed: must not be negative; to tolerate everything, set OnAbuse to a function that does nothing",
		"msgs: QueueMessages: must not be negative; 0 stands for 4096",
		"msgs: QueueBytes: must not be negative; 0 stands for 1048576",
		"msgs: Catalogues: empty: name at least one, such as {Catalogue: &chat.Catalogue}",
	}, mistakes(t, msgs.Config{Side: msgs.Both, Malformed: msgs.Limit{Count: -1}, QueueMessages: -1, QueueBytes: -1}))
	require.Len(t, mistakes(t, msgs.Config{Malformed: msgs.Limit{Within: -1}}), 3)
}

func TestAllMistakesOfHandlersAreToldAtOnce(t *testing.T) {
	other := msgs.Catalogue{Name: "other", Entries: []msgs.Entry{{ID: 1, Name: "Other", From: msgs.Both}}}
	require.Equal(t, []string{
		"msgs: Handlers[0]: message World never comes in here, because only this side sends it: handle it on the other side, or declare it from=both",
		"msgs: Handlers[2]: message Say has two handlers: keep one",
		"msgs: Handlers[3]: message Other is of catalogue other, which is not among Catalogues: add it there, or leave the handler out",
		"msgs: Handlers[4]: the handler of Move is nil: leave it out, or give a function that does nothing",
		"msgs: Handlers[5]: the handler of Ready is nil: leave it out, or give a function that does nothing",
		"msgs: Handlers[6]: OnRaw got no descriptor: give it that of a message, such as (*chat.Say)(nil).Descriptor()",
		"msgs: Handlers[7]: the handler is empty: make it with On, OnFrame or OnRaw",
	}, mistakes(t, msgs.Config{Side: msgs.Host, Catalogues: []msgs.Mount{{Catalogue: &chat}}, Handlers: []msgs.Handler{
		msgs.On(func(*msgs.In, *World) {}),
		msgs.On(ignoreSay),
		msgs.OnFrame(ignoreSay),
		msgs.OnRaw(msgs.Descriptor{Catalogue: &other, Entry: &other.Entries[0]}, func(*msgs.In) {}),
		msgs.On[Move](nil),
		msgs.OnRaw((*Ready)(nil).Descriptor(), nil),
		msgs.OnRaw(msgs.Descriptor{}, func(*msgs.In) {}),
		{},
	}}))
}

func TestTwoCataloguesOnOneChannelAreRefused(t *testing.T) {
	tower := msgs.Catalogue{Name: "tower", Entries: []msgs.Entry{{ID: 1, Name: "Up", From: msgs.Both}}}
	require.Equal(t, []string{"msgs: Catalogues[1]: messages chat.Map and tower.Up are both on channel 1: take another Channel for one of the two catalogues"},
		mistakes(t, msgs.Config{Side: msgs.Host, Catalogues: []msgs.Mount{{Catalogue: &chat}, {Catalogue: &tower, Channel: 1}}}))

	_, err := msgs.NewRouter(msgs.Config{Side: msgs.Host, Catalogues: []msgs.Mount{{Catalogue: &chat}, {Catalogue: &tower, Channel: 2}}})
	require.NoError(t, err)
}

func TestACatalogueThatCannotBeMountedIsRefused(t *testing.T) {
	require.Equal(t, []string{
		"msgs: Catalogues[0]: the catalogue is nil: give the variable that netgen wrote, such as &chat.Catalogue",
		"msgs: Catalogues[2]: catalogue chat is there twice: a message could not tell which of its channels it is for",
	}, mistakes(t, msgs.Config{Side: msgs.Host, Catalogues: []msgs.Mount{{}, {Catalogue: &chat}, {Catalogue: &chat, Channel: 9}}}))
	require.Equal(t, []string{"msgs: Catalogues[0]: message Map would be on channel 64: the last is 63, so take a smaller Channel"},
		mistakes(t, msgs.Config{Side: msgs.Host, Catalogues: []msgs.Mount{{Catalogue: &chat, Channel: 63}}}))
}

func TestAnInconsistentCatalogueIsRefused(t *testing.T) {
	for problem, c := range map[string]*msgs.Catalogue{
		"message c.B (id 4) stands after id 5: entries have ascending ids": {Entries: []msgs.Entry{
			{ID: 5, Name: "A", From: msgs.Host}, {ID: 4, Name: "B", From: msgs.Host}}},
		"message c.B (id 5) has the id of A": {Entries: []msgs.Entry{
			{ID: 5, Name: "A", From: msgs.Host}, {ID: 5, Name: "B", From: msgs.Client}}},
		"message c.C (id 5) has the id of A": {Codec: layout.Bits, Entries: []msgs.Entry{
			{ID: 5, Name: "A", From: msgs.Host}, {ID: 5, Name: "B", From: msgs.Client}, {ID: 5, Name: "C", From: msgs.Host}}},
		"message c.A (id 1) is from no side: say Client, Host or Both": {Entries: []msgs.Entry{{ID: 1, Name: "A"}}},
		"message c.A (id 1) has a delivery that does not exist":        {Entries: []msgs.Entry{{ID: 1, Name: "A", From: msgs.Host, Delivery: 5}}},
		"message c.A (id 1) has a MinSize above its MaxSize":           {Entries: []msgs.Entry{{ID: 1, Name: "A", From: msgs.Host, MinSize: 2, MaxSize: 1}}},
		"message c.A (id 1) has states that the catalogue does not have": {States: []string{"lobby"},
			Entries: []msgs.Entry{{ID: 1, Name: "A", From: msgs.Host, States: 2}}},
		"message c.A (id 256) has an id above 255, and codec bytes has one byte for it": {Entries: []msgs.Entry{{ID: 256, Name: "A", From: msgs.Host}}},
		"message c.A (id 1) is from both sides, whose ids are 5 and 4 bits: make hostids and clientids equal": {Codec: layout.Bits, HostIDs: 19, ClientIDs: 9,
			Entries: []msgs.Entry{{ID: 1, Name: "A", From: msgs.Both}}},
	} {
		c.Name = "c"
		require.Equal(t, []string{"msgs: Catalogues[0]: " + problem}, mistakes(t, msgs.Config{Side: msgs.Host, Catalogues: []msgs.Mount{{Catalogue: c}}}))
	}
}

func TestHandlersOfACatalogueThatIsRefusedAreNotCalledMistakes(t *testing.T) {
	c := &msgs.Catalogue{Name: "c", Entries: []msgs.Entry{{Name: "A"}}}
	require.Len(t, mistakes(t, msgs.Config{Side: msgs.Host, Catalogues: []msgs.Mount{{Catalogue: c}},
		Handlers: []msgs.Handler{msgs.OnRaw(msgs.Descriptor{Catalogue: c, Entry: &c.Entries[0]}, func(*msgs.In) {})}}), 1)
}

func TestAddAddsAllOrNothing(t *testing.T) {
	tb := newTable(t, msgs.Config{})
	heard := 0
	hear := msgs.On(func(*msgs.In, *Say) { heard++ })
	require.EqualError(t, tb.Add(hear, msgs.Handler{}), "msgs: Handlers[1]: the handler is empty: make it with On, OnFrame or OnRaw")
	ann := tb.joins(1)
	tb.sends(ann, &Say{})
	require.Zero(t, heard)

	require.NoError(t, tb.Add(hear))
	tb.sends(ann, &Say{})
	require.Equal(t, 1, heard)
	require.EqualError(t, tb.Add(hear), "msgs: Handlers[0]: message Say has a handler already: keep one")
}

func TestUnhandledListsWhatComesInAndHasNoHandler(t *testing.T) {
	names := func(r *msgs.Router) (list []string) {
		for _, d := range r.Unhandled() {
			list = append(list, d.Entry.Name)
		}
		return list
	}
	host := newTable(t, msgs.Config{}, msgs.On(ignoreSay))
	require.Equal(t, []string{"Move", "Ready", "Shoot"}, names(host.Router))
	client := newTable(t, msgs.Config{Side: msgs.Client}, msgs.On(ignoreSay))
	require.Equal(t, []string{"World", "Map"}, names(client.Router))
}

func TestAtTheFirstSessionTheLogNamesMessagesWithoutAHandler(t *testing.T) {
	tb := newTable(t, msgs.Config{}, msgs.On(ignoreSay), msgs.On(func(*msgs.In, *Move) {}))
	tb.joins(1)
	tb.joins(2)
	require.Equal(t, []string{`level=WARN msg="Messages without a handler are ignored" messages="chat.Ready, chat.Shoot"`}, tb.lines())
}

func TestTheLogNamesOnceWhatTheConnectionDoesNotCarry(t *testing.T) {
	tb := newTable(t, msgs.Config{}, everything()...)
	tb.joins(251)
	require.Empty(t, tb.lines(), "the local player's connection carries all")
	tb.connects(&conn{id: 1, base: true})
	tb.connects(&conn{id: 2, base: true})
	require.Equal(t, []string{
		`level=WARN msg="Messages cannot be sent on this connection" peer="player 1" messages=chat.World ` +
			`reason="they may be longer than 500 bytes, its limit for delivery unreliable"`,
		`level=WARN msg="Messages cannot be sent on this connection" peer="player 1" messages=chat.Map reason="it has no delivery unordered on channel 1"`,
	}, tb.lines())
}

func TestAMessageWithoutALimitIsNotHeldAgainstTheConnection(t *testing.T) {
	c := msgs.Catalogue{Name: "c", Entries: []msgs.Entry{{Name: "Rest", From: msgs.Host, MinSize: 1, MaxSize: layout.Unlimited}}}
	tb := newTable(t, msgs.Config{Catalogues: []msgs.Mount{{Catalogue: &c}}})
	tb.connects(&conn{id: 1, base: true})
	require.Empty(t, tb.lines())
}

// everything is a handler for each message that a host receives.
func everything() []msgs.Handler {
	return []msgs.Handler{
		msgs.On(ignoreSay),
		msgs.On(func(*msgs.In, *Move) {}),
		msgs.On(func(*msgs.In, *Ready) {}),
		msgs.On(func(*msgs.In, *Shoot) {}),
	}
}

func TestAMountMovesTheChannelsOfItsCatalogue(t *testing.T) {
	heard := 0
	tb := newTable(t, msgs.Config{Catalogues: []msgs.Mount{{Catalogue: &chat, Channel: 20}}}, msgs.On(func(*msgs.In, *Say) { heard++ }))
	ann := tb.joins(1)
	tb.Route(transport.Event{Kind: transport.Message, Conn: ann, Payload: encoded(&Say{}), Delivery: transport.ReliableOrdered, Channel: 20})
	require.Equal(t, 1, heard)
	require.NoError(t, Map{}.Send(tb.All()))
	require.Equal(t, uint8(21), ann.sent[0].o.Channel)
}

func TestOptionsOfAMessageReachTheConnection(t *testing.T) {
	hurry := msgs.Catalogue{Name: "hurry", Entries: []msgs.Entry{
		{ID: 1, Name: "Now", From: msgs.Host, Delivery: transport.Sequenced, Channel: 3, TTL: time.Second, Urgent: true, MinSize: 1, MaxSize: 1}}}
	tb := newTable(t, msgs.Config{Catalogues: []msgs.Mount{{Catalogue: &hurry}}})
	ann := tb.joins(1)
	d := msgs.Descriptor{Catalogue: &hurry, Entry: &hurry.Entries[0]}
	require.NoError(t, tb.Peer(1).Receipt(8).SendEncoded(d, []byte{1}, nil))
	require.Equal(t, transport.SendOptions{Delivery: transport.Sequenced, Channel: 3, TTL: time.Second, Urgent: true, Receipt: 8}, ann.sent[0].o)
}
