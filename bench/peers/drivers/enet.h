// What the driver does in C, so that a message or a turn of the loop is one call from Go.

#include <enet/enet.h>

enum { END_BATCH = 256 };

// end is an ENet host: the listening end, or a client with one peer.
typedef struct {
	ENetHost *host;
	int count;                    // events that the last turn gave
	ENetEvent events[END_BATCH];
	size_t waiting, limit;        // bytes that are not sent (unreliable) or not acknowledged (reliable), and how many there may be; limit 0 is none
	unsigned unflushed, gather;   // messages since the last flush, and after how many to flush; gather 0 is never
} end;

enum { END_SENT, END_FULL, END_FAILED };

end *end_create(enet_uint32 address, size_t peers, size_t channels, size_t mtu, int buffer);
void end_destroy(end *e);
ENetPeer *end_connect(end *e, enet_uint32 address, enet_uint16 port, size_t channels);
int end_turn(end *e);
void end_flush(end *e);
int end_send(end *e, ENetPeer *peer, enet_uint8 channel, const void *data, size_t size, int reliable);
