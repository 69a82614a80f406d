import Foundation

/// The file descriptors of the process.
enum FileDescriptors {
  /// Opens standard input, output and error if the process was started without them.
  ///
  /// Otherwise the next files and sockets would get their numbers, and with them the log. They are opened for the
  /// opposite direction, so that reading and writing them fails as before.
  static func reserveStandard() {
    let standard = [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    for (descriptor, mode) in standard where fcntl(descriptor, F_GETFD) < 0 {
      // A new descriptor gets the lowest free number, which is this one.
      _ = open("/dev/null", mode)
    }
  }

  /// Raises the soft limit to the hard limit, and returns it.
  ///
  /// The usual soft limit of 1024 exists for programs that use `select`; with it, the server would run out of
  /// descriptors before it reaches its own limit of connections.
  static func raiseLimit() -> Int {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return .max }
    limit.rlim_cur = limit.rlim_max
    let isRaised = setrlimit(resource, &limit) == 0
    return isRaised || getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : .max
  }

  /// Returns the number of connections from clients for which the limit has room besides everything else.
  static func connections(within limit: Int, readers: Int) -> Int {
    // A reading connection has two files, and temporary ones now and then; the HTTP server keeps 64 places for health
    // checks; the rest is for the writer, live results, files that are read ahead and the log.
    max(1, limit - 3 * readers - 64 - 32)
  }
}
