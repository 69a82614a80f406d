#define _GNU_SOURCE
#include "CKindredLinux.h"
#include <poll.h>

const short kindred_peer_hung_up = POLLRDHUP;

int kindred_accept(int descriptor, struct sockaddr *address, socklen_t *length) {
  return accept4(descriptor, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
