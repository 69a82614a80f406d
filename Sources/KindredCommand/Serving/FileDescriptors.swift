import Foundation

/// The files and sockets that the process may have open.
enum FileDescriptors {
  /// Allows as many as the system lets this process have.
  ///
  /// The usual soft limit of 1024 is there for programs that use `select`; it would be reached before the limit of
  /// connections is.
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
