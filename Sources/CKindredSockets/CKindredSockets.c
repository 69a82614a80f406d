#define _GNU_SOURCE
#include "CKindredSockets.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

const int kindred_stream_type = SOCK_STREAM;

#ifdef __linux__

int kindred_stream_socket(int family) { return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

int kindred_accept(int descriptor, struct sockaddr *address, socklen_t *length) {
  return accept4(descriptor, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int kindred_peer_has_hung_up(int descriptor) {
  struct pollfd entry = {.fd = descriptor, .events = POLLRDHUP};
  return poll(&entry, 1, 0) > 0;
}

#define SEND_FLAGS MSG_NOSIGNAL

#else

// Other systems lack Linux's flags, so each property is set by a call of its own.
static int prepare(int descriptor) {
  if (descriptor < 0) return descriptor;
  int is_on = 1;
#ifdef SO_NOSIGPIPE
  setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &is_on, sizeof is_on);
#endif
  if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 && fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0) return descriptor;
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

int kindred_stream_socket(int family) { return prepare(socket(family, SOCK_STREAM, 0)); }

int kindred_accept(int descriptor, struct sockaddr *address, socklen_t *length) {
  return prepare(accept(descriptor, address, length));
}

int kindred_peer_has_hung_up(int descriptor) {
  struct pollfd entry = {.fd = descriptor, .events = POLLIN};
  if (poll(&entry, 1, 0) <= 0) return 0;
  if (entry.revents & (POLLHUP | POLLERR | POLLNVAL)) return 1;
  char byte;
  return recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

#ifdef MSG_NOSIGNAL
#define SEND_FLAGS MSG_NOSIGNAL
#else
#define SEND_FLAGS 0
#endif

#endif

int kindred_adopt(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) != 0) return -1;
  return fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

ssize_t kindred_send(int descriptor, struct iovec *parts, int count) {
  if (count == 1) return send(descriptor, parts->iov_base, parts->iov_len, SEND_FLAGS);
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
  return sendmsg(descriptor, &message, SEND_FLAGS);
}

int kindred_temporary_file(char *path) { return mkostemp(path, O_CLOEXEC); }

int kindred_listen(int descriptor, int backlog) { return listen(descriptor, backlog); }

int kindred_connect(int descriptor, const struct sockaddr *address, socklen_t length) {
  return connect(descriptor, address, length);
}
