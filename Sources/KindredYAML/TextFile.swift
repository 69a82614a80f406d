import KindredSystem

/// Reads files once, from beginning to end, so that pipes such as `/dev/stdin` can be read, too.
public enum TextFile {
  /// Returns the text of a UTF-8 file.
  public static func text(of path: String) throws(TextFileError) -> String {
    guard let text = String(validating: try bytes(of: path), as: UTF8.self) else { throw .notUTF8 }
    return text
  }

  /// The milliseconds for which a pipe may give nothing.
  private static let patience: CInt = 30_000

  /// Returns the content of a file.
  public static func bytes(of path: String) throws(TextFileError) -> [UInt8] {
    // Otherwise, opening a pipe waits for a writer, which may never come.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .unreadable(errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count > 0 {
        bytes += buffer[..<count]
      } else if count == 0 {
        guard bytes.isEmpty, isPipe(descriptor), try hasInput(descriptor) else { return bytes }
      } else if errno == EAGAIN {
        _ = try hasInput(descriptor)
      } else if errno != EINTR {
        throw .unreadable(errno)
      }
    }
  }

  private static func isPipe(_ descriptor: CInt) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  /// Waits until there is something to read; false if a pipe has been closed by its writers.
  private static func hasInput(_ descriptor: CInt) throws(TextFileError) -> Bool {
    var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let count = poll(&input, 1, patience)
    guard count != 0 else { throw .unreadable(ETIMEDOUT) }
    // After a signal, which interrupts the wait, reading is tried again.
    return count < 0 || input.revents & Int16(POLLIN) != 0
  }
}

/// The reason why a file can't be read.
public enum TextFileError: Error {
  /// The error number of the system (errno(3)).
  case unreadable(CInt)
  case notUTF8
}

extension TextFileError: CustomStringConvertible {
  /// The reason and its fix.
  public var description: String {
    switch self {
    case .unreadable(ENOENT), .unreadable(ENOTDIR): "no such file; check the path"
    case .unreadable(EACCES): "permission denied; make the file readable for this user"
    case .unreadable(EISDIR): "this is a directory; name the file in it"
    case .unreadable(let number): "it can't be read: \(String(cString: strerror(number)))"
    case .notUTF8: "it is not UTF-8 text; save it as UTF-8"
    }
  }
}
