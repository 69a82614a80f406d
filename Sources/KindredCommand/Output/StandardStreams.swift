import Foundation
import KindredHTTP

/// Writes the results of commands.
enum StandardOutput {
  /// Writes the body of an answer as it is produced, and a final line break if it has none.
  ///
  /// - Parameter isIndented: whether the body is JSON that should be indented.
  static func write(_ body: HTTPBody, isIndented: Bool = false) throws {
    var indenter = JSONIndenter()
    func put(_ part: UnsafeRawBufferPointer) throws {
      try write(isIndented ? Data(indenter.indent(part)) : Data(part))
    }
    switch body {
    case .none: return
    case .bytes(let bytes):
      try bytes.withUnsafeBytes { try put($0) }
      try endLine(after: bytes.last)
    case .stream(let stream, _):
      defer { stream.close() }
      var last: UInt8?
      while let part = try stream.next() {
        try put(part)
        last = part.last ?? last
      }
      try endLine(after: last)
    }
  }

  /// Writes a text and a line break.
  static func writeLine(_ text: String) throws { try writeLine(Array(text.utf8)) }

  /// Writes bytes and a line break.
  static func writeLine(_ bytes: [UInt8]) throws { try write(Data(bytes + [UInt8(ascii: "\n")])) }

  /// Writes a line about what is already committed, so that it is no error if it can't be read.
  static func report(_ text: String) {
    // A pipe that ended would otherwise end the process.
    let former = signal(SIGPIPE, SIG_IGN)
    try? writeLine(text)
    signal(SIGPIPE, former)
  }

  private static func endLine(after last: UInt8?) throws {
    if let last, last != UInt8(ascii: "\n") { try write(Data("\n".utf8)) }
  }

  private static func write(_ data: Data) throws {
    if let number = data.withUnsafeBytes({ $0.write(to: STDOUT_FILENO) }) {
      throw CommandError("standard output can't be written: \(String(cString: strerror(number)))")
    }
  }
}

/// Writes what concerns the run of a command, other than its log, to standard error.
enum StandardError {
  /// Writes a text, unless standard error accepts nothing for a second.
  ///
  /// Errors are ignored, because there is no other place to report them.
  static func write(_ text: String) {
    _ = Array(text.utf8).withUnsafeBytes { $0.write(to: STDERR_FILENO, patience: 1000) }
  }
}

extension UnsafeRawBufferPointer {
  /// Writes all bytes to a file descriptor; returns the error number of the system (errno(3)) if that fails.
  ///
  /// - Parameter patience: how long the descriptor may accept nothing, in milliseconds, before the rest is given up with
  ///   `ETIMEDOUT`; nil for any time.
  func write(to descriptor: CInt, patience: CInt? = nil) -> CInt? {
    var rest = self[...]
    while !rest.isEmpty {
      if let patience, !Self.isWritable(descriptor, within: patience) { return ETIMEDOUT }
      // A pipe that is writable takes this much at once, so the call doesn't block (poll(2), pipe(7)).
      let part = patience == nil ? rest : rest.prefix(Int(PIPE_BUF))
      let count = Foundation.write(
        descriptor, UnsafeRawBufferPointer(rebasing: part).baseAddress, part.count)
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        // Another process has made the descriptor non-blocking.
        _ = Self.isWritable(descriptor, within: -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }

  private static func isWritable(_ descriptor: CInt, within milliseconds: CInt) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&request, 1, milliseconds) > 0
  }
}

extension String {
  /// The text on one line, with spaces in place of line breaks.
  var singleLine: String {
    split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }.joined(separator: " ")
  }
}
