import Foundation
import KindredSpooling

/// A file to be imported: one on disk, a pipe, or standard input.
struct ImportFile {
  /// The path; `-` for standard input.
  let path: String

  /// Returns the content as that of a request.
  ///
  /// - Throws: `CommandError`
  func content() throws(CommandError) -> ContentFile {
    let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else { throw unreadable() }
    let isFile = status.st_mode & S_IFMT == S_IFREG
    // A shell may have read the beginning of its standard input.
    if isFile, path != "-" { return ContentFile(descriptor: descriptor, length: Int(status.st_size)) }
    defer { close(descriptor) }
    return try copy(of: descriptor)
  }

  /// Returns a copy in a temporary file, because the content is read at several positions, which a pipe doesn't allow.
  private func copy(of descriptor: CInt) throws(CommandError) -> ContentFile {
    let copy = try TemporaryFiles.content()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { return copy }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw unreadable()
      }
      guard buffer[..<count].withUnsafeBytes({ copy.append($0) }) else { throw TemporaryFiles.full() }
    }
  }

  private func unreadable() -> CommandError {
    CommandError("\(path) can't be read: \(String(cString: strerror(errno)))")
  }
}
