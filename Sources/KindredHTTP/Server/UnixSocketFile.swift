import CKindredSockets
import KindredSystem

/// The file of a Unix socket that this process listens on.
struct UnixSocketFile: Sendable {
  private let path: String
  private let device: dev_t
  private let inode: ino_t

  /// Removes the file, unless another one has its place by now.
  func remove() {
    guard let status = Self.status(of: path), status.st_dev == device, status.st_ino == inode else { return }
    unlink(path)
  }

  /// Listens at a path; a socket there that no process serves any more is replaced.
  ///
  /// - Parameter mode: The permissions of the file.
  static func listen(
    at path: String, mode: UInt16, backlog: CInt
  ) throws(HTTPServerError) -> (CInt, SocketAddress, UnixSocketFile) {
    let address = try address(of: path)
    // Another process that starts at the same time must not take the new socket for an abandoned one.
    let lock = open(directory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if lock >= 0 { Socket.close(lock) } }
    // Not for long, as anybody may lock a directory such as /tmp.
    for _ in 0..<20 where lock >= 0 {
      if flock(lock, LOCK_EX | LOCK_NB) == 0 { break }
      usleep(50_000)
    }
    if try isAbandoned(path, address) { unlink(path) }
    let descriptor = kindred_stream_socket(AF_UNIX)
    guard descriptor >= 0 else { throw failure(path, errno) }
    // Until it listens, no client can connect, whatever the permissions.
    guard address.withPointer({ bind(descriptor, $0, $1) }) == 0, chmod(path, mode_t(mode)) == 0,
      kindred_listen(descriptor, backlog) == 0, let status = status(of: path)
    else {
      let failure = failure(path, errno)
      Socket.close(descriptor)
      throw failure
    }
    return (descriptor, address, UnixSocketFile(path: path, device: status.st_dev, inode: status.st_ino))
  }

  /// Checks that a socket can be created at a path.
  static func check(_ path: String) throws(HTTPServerError) {
    _ = try isAbandoned(path, try address(of: path))
    guard access(directory(of: path), W_OK | X_OK) == 0 else { throw failure(path, errno) }
  }

  /// Returns whether there is a socket that no process serves; throws if there is anything else.
  private static func isAbandoned(_ path: String, _ address: SocketAddress) throws(HTTPServerError) -> Bool {
    guard let status = status(of: path) else { return false }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      let kind = status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "a file that is not a socket"
      throw HTTPServerError(
        .addressInUse, "cannot listen on unix:\(path): there is \(kind); remove it, or choose another path")
    }
    let descriptor = kindred_stream_socket(AF_UNIX)
    guard descriptor >= 0 else { throw failure(path, errno) }
    defer { Socket.close(descriptor) }
    if address.withPointer({ kindred_connect(descriptor, $0, $1) }) != 0, errno == ECONNREFUSED {
      return true
    }
    throw HTTPServerError(
      .addressInUse, "cannot listen on unix:\(path): another process serves it; choose another path")
  }

  private static func address(of path: String) throws(HTTPServerError) -> SocketAddress {
    if !path.isEmpty, let address = SocketAddress(path: path) { return address }
    let limit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
    throw HTTPServerError(
      .addressNotAvailable,
      path.isEmpty
        ? "cannot listen on unix:: the path is missing; write it as unix:/run/kindred.sock"
        : "cannot listen on unix:\(path): the path has \(path.utf8.count) bytes, and at most \(limit) are possible"
    )
  }

  private static func directory(of path: String) -> String {
    guard let end = path.lastIndex(of: "/") else { return "." }
    return end == path.startIndex ? "/" : String(path[..<end])
  }

  private static func status(of path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }

  private static func failure(_ path: String, _ number: CInt) -> HTTPServerError {
    let reason =
      switch number {
      case ENOENT: "the directory does not exist"
      case ENOTDIR: "what precedes the name is not a directory"
      case EACCES, EPERM, EROFS: "the directory is not writable for this user"
      default: String(cString: strerror(number))
      }
    return HTTPServerError(
      number == EACCES || number == EPERM ? .notPermitted : .system,
      "cannot listen on unix:\(path): \(reason)")
  }
}
