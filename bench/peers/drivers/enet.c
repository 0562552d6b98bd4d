//go:build enet

#include "enet.h"
#include <stdlib.h>

end *end_create(enet_uint32 address, size_t peers, size_t channels, size_t mtu, int buffer) {
	ENetAddress at = {address, 0};
	end *e = calloc(1, sizeof *e);
	if (e == NULL) {
		return NULL;
	}
	e->host = enet_host_create(&at, peers, channels, 0, 0);
	if (e->host == NULL) {
		free(e);
		return NULL;
	}
	e->host->mtu = mtu;
	if (buffer > 0) {
		enet_socket_set_option(e->host->socket, ENET_SOCKOPT_RCVBUF, buffer);
		enet_socket_set_option(e->host->socket, ENET_SOCKOPT_SNDBUF, buffer);
	}
	return e;
}

// drop frees the messages of the last turn.
static void drop(end *e) {
	for (int i = 0; i < e->count; i++) {
		if (e->events[i].type == ENET_EVENT_TYPE_RECEIVE) {
			enet_packet_destroy(e->events[i].packet);
		}
	}
	e->count = 0;
}

void end_destroy(end *e) {
	drop(e);
	enet_host_destroy(e->host);
	free(e);
}

ENetPeer *end_connect(end *e, enet_uint32 address, enet_uint16 port, size_t channels) {
	ENetAddress to = {address, port};
	return enet_host_connect(e->host, &to, channels, 0);
}

// end_turn takes what came in and sends what is due. Its events are good until the next turn.
int end_turn(end *e) {
	drop(e);
	while (e->count < END_BATCH && enet_host_service(e->host, &e->events[e->count], 0) > 0) {
		e->count++;
	}
	e->unflushed = 0;
	return e->count;
}

void end_flush(end *e) {
	enet_host_flush(e->host);
	e->unflushed = 0;
}

static void gone(ENetPacket *packet) {
	*(size_t *)packet->userData -= packet->dataLength;
}

int end_send(end *e, ENetPeer *peer, enet_uint8 channel, const void *data, size_t size, int reliable) {
	if (e->limit > 0 && e->waiting > 0 && e->waiting + size > e->limit) {
		return END_FULL;
	}
	ENetPacket *packet = enet_packet_create(data, size, reliable ? ENET_PACKET_FLAG_RELIABLE : 0);
	if (packet == NULL) {
		return END_FAILED;
	}
	if (enet_peer_send(peer, channel, packet) < 0) {
		enet_packet_destroy(packet);
		return END_FAILED;
	}
	packet->userData = &e->waiting;
	packet->freeCallback = gone;
	e->waiting += size;
	e->unflushed++;
	if (e->gather > 0 && e->unflushed >= e->gather) {
		end_flush(e);
	}
	return END_SENT;
}
