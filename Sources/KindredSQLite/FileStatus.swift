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

  /// Whether a file could not be opened as too many are open, by this process or all together.
  static func isShortOfDescriptors(_ systemError: Int32) -> Bool {
    systemError == EMFILE || systemError == ENFILE
  }

  /// The path without symbolic links.
  static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The directory that an absolute path lies in.
  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// The size of a file in bytes: 0 for none.
  static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  private static func isAllowed(_ mode: Int32, _ path: String) -> Bool {
    // AT_EACCESS: as `open` would decide, where the effective user is not the real one.
    faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0
  }
}
