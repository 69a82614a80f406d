#pragma once
// What Swift's Glibc module leaves out.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/// `accept4` for a descriptor that neither blocks nor is inherited by other programs.
int kindred_accept(int descriptor, struct sockaddr *address, socklen_t *length);

/// `POLLRDHUP`: the peer has ended its direction.
extern const short kindred_peer_hung_up;
