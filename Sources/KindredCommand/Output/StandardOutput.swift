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

  /// Writes a line about what is already committed, so that it is no error if nobody can read it.
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
      throw OutputError(number: number)
    }
  }
}

/// Standard output can't be written.
struct OutputError: Error, CustomStringConvertible {
  /// The error number of the system (errno(3)).
  let number: CInt

  var description: String { "standard output can't be written: \(String(cString: strerror(number)))" }
}
