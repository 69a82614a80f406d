#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What is at a path.
enum FileStatus: Equatable {
  case missing
  case directory
  /// A directory on the way can't be searched.
  case unreachable
  /// A file of whatever kind.
  case other

  init(path: String) {
    var status = stat()
    if stat(path, &status) == 0 {
      self = status.st_mode & S_IFMT == S_IFDIR ? .directory : .other
    } else {
      self = errno == EACCES ? .unreachable : .missing
    }
  }

  static func isReadable(_ path: String) -> Bool { isAllowed(R_OK, path) }

  /// Whether the file, or new files in the directory, could be written: neither the permissions nor a
  /// read-only medium are against it.
  static func isWritable(_ path: String) -> Bool { isAllowed(W_OK, path) }

  private static func isAllowed(_ mode: Int32, _ path: String) -> Bool {
    // AT_EACCESS: as `open` would decide, where the effective user is not the real one.
    faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0
  }
}
