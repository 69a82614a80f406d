#pragma once
// What Swift's modules of the C library leave out, and what differs between systems.
#include <sys/socket.h>
#include <sys/uio.h>
#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif

/// A stream socket that neither blocks nor is inherited by other programs; -1 with `errno`.
int kindred_stream_socket(int family);

/// The same for one that blocks.
int kindred_blocking_stream_socket(int family, int protocol);

/// Takes a connection in, as a descriptor that neither blocks nor is inherited by other programs.
int kindred_accept(int descriptor, struct sockaddr *address, socklen_t *length);

/// Sends parts one after the other; a peer that is gone is an error, never a signal.
ssize_t kindred_send(int descriptor, struct iovec *parts, int count);

/// Whether the peer has ended its direction, or the connection is broken.
int kindred_peer_has_hung_up(int descriptor);

/// `SOCK_STREAM`, whose type differs.
extern const int kindred_stream_type;

/// `listen` and `connect`, whose names Swift's types have too.
int kindred_listen(int descriptor, int backlog);
int kindred_connect(int descriptor, const struct sockaddr *address, socklen_t length);
