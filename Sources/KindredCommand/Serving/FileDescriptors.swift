import Foundation

/// The limit of open files and sockets of the process.
enum FileDescriptors {
  /// Raises the soft limit to the hard limit.
  ///
  /// The usual soft limit of 1024 exists for programs that use `select`; with it, the server would run out of
  /// descriptors before it reaches its own limit of connections.
  static func raiseLimit() {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(resource, &limit)
  }
}
