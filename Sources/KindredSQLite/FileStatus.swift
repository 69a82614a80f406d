import KindredSystem

/// What distinguishes a file from all others that exist at the same time, whatever their paths.
struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  private init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
  }

  /// The file at a path.
  enum Found: Equatable {
    case file(FileIdentity)
    case nothing
    /// The path can't be looked at.
    case unknown
  }

  /// Returns the file that is at a path now.
  static func find(_ path: String) -> Found {
    var status = stat()
    if stat(path, &status) == 0 { return .file(FileIdentity(status)) }
    return errno == ENOENT || errno == ENOTDIR ? .nothing : .unknown
  }
}

/// The kind of file at a path.
enum FileStatus: Equatable {
  case missing
  case directory
  /// A directory of the path can't be searched.
  case unreachable
  /// A file of any other kind.
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

  /// Returns whether the permissions and the medium allow writing to a file, or to a directory.
  static func isWritable(_ path: String) -> Bool { isAllowed(W_OK, path) }

  /// Returns whether an error means that this process, or the system, has too many open files.
  static func isShortOfDescriptors(_ systemError: Int32) -> Bool {
    systemError == EMFILE || systemError == ENFILE
  }

  /// Returns the path with symbolic links resolved.
  static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Returns the directory of an absolute path.
  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// Returns the size of a file in bytes; 0 if there is none.
  static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Returns the checkpoint sequence number in the header of a WAL file (<https://www.sqlite.org/fileformat2.html>,
  /// §4.1); nil if there is no header.
  static func checkpoints(ofLog path: String) -> Int? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var number: UInt32 = 0
    guard pread(descriptor, &number, 4, 12) == 4 else { return 0 }
    return Int(UInt32(bigEndian: number))
  }

  /// Returns the bytes that are free in the file system of a file; nil if that can't be determined.
  static func freeSpace(besides path: String) -> UInt64? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    return UInt64(status.f_bavail) * UInt64(status.f_frsize)
  }

  /// Whether a file begins like a database of SQLite 2.
  static func isOfSQLite2(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let beginning = Array("** This file contains an SQLite 2".utf8)
    var bytes = [UInt8](repeating: 0, count: beginning.count)
    return pread(descriptor, &bytes, bytes.count, 0) == bytes.count && bytes == beginning
  }

  private static func isAllowed(_ mode: Int32, _ path: String) -> Bool {
    // AT_EACCESS checks for the effective user, as `open` does.
    faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0
  }
}
