#pragma once
// Calls that Swift's modules of the C library don't import, or that differ between systems.
#include <sys/socket.h>
#include <sys/uio.h>
#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif

/// Returns a non-blocking stream socket that child programs don't inherit; -1 with `errno` on failure.
int kindred_stream_socket(int family);

/// Accepts a connection as a non-blocking descriptor that child programs don't inherit; -1 with `errno` on failure.
int kindred_accept(int descriptor, struct sockaddr *address, socklen_t *length);

/// Makes a socket that was handed over non-blocking, and keeps child programs from inheriting it; -1 with `errno` on failure.
int kindred_adopt(int descriptor);

/// Sends parts in order and returns the number of bytes sent. A closed connection is an error, never a signal.
ssize_t kindred_send(int descriptor, struct iovec *parts, int count);

/// Returns whether the peer has closed its side, or the connection is broken.
int kindred_peer_has_hung_up(int descriptor);

/// Creates and opens a file as `mkstemp` does, which child programs don't inherit; -1 with `errno` on failure.
int kindred_temporary_file(char *path);

/// `SOCK_STREAM`, whose Swift type differs between systems.
extern const int kindred_stream_type;

/// `listen` and `connect`, which methods of the same name hide in Swift.
int kindred_listen(int descriptor, int backlog);
int kindred_connect(int descriptor, const struct sockaddr *address, socklen_t length);
