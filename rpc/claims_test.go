package rpc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func newObjects() *Objects {
	c := &Calls{}
	c.objects = Objects{calls: c, bound: map[any]NetID{}}
	c.waiting.calls = c
	return &c.objects
}

func TestAPlaceIsUsedInEachGenerationOnceAndThenNoMore(t *testing.T) {
	o := newObjects()
	o.claims.last = maxPlace - 1 // one is left
	for generation := range maxGeneration + 1 {
		id, err := o.Claim()
		require.NoError(t, err)
		require.Equal(t, netID(0, generation, maxPlace), id)
		_, err = o.Claim()
		require.ErrorIs(t, err, ErrNoPlace, "while it is used")
		require.True(t, o.Release(id))
	}
	_, err := o.Claim()
	require.ErrorIs(t, err, ErrNoPlace, "it has no generation left")
}

func TestAPlaceRestsWhileOthersAreFree(t *testing.T) {
	o := newObjects()
	first, _ := o.Claim()
	o.Release(first)
	for i := range quarantine {
		id, _ := o.Claim()
		require.Equal(t, netID(0, 0, 2+i), id)
		o.Release(id)
	}
	again, _ := o.Claim()
	require.Equal(t, netID(0, 1, 1), again)
}

func TestABlockIsUsedAgainAsAWholeWhenAllOfItIsReleased(t *testing.T) {
	o := newObjects()
	o.claims.last = maxPlace - 3
	first, err := o.ClaimBlock(3)
	require.NoError(t, err)
	o.Release(first)
	o.Release(first.Add(2))
	_, err = o.ClaimBlock(3)
	require.ErrorIs(t, err, ErrNoPlace)
	_, err = o.Claim()
	require.ErrorIs(t, err, ErrNoPlace, "not in parts")
	o.Release(first.Add(1))
	again, err := o.ClaimBlock(3)
	require.NoError(t, err)
	require.Equal(t, first|1<<placeBits, again)
}

func TestAPlaceThatTheGameBoundWithoutAClaimIsNotGivenOut(t *testing.T) {
	o := newObjects()
	require.NoError(t, o.bind(&Interface{Name: "I"}, 2, nil, 1))
	id, _ := o.Claim()
	require.Equal(t, NetID(1), id)
	id, _ = o.Claim()
	require.Equal(t, NetID(3), id)
}
