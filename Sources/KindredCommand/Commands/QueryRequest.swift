import ArgumentParser
import Foundation
import KindredAPI
import KindredHTTP
import KindredYAML

/// The method of a request of `kindred query`.
struct RequestMethod: ExpressibleByArgument {
  let method: HTTPMethod

  init?(argument: String) {
    let name = argument.uppercased()
    guard let method = Self.all.first(where: { $0.token == name }) else { return nil }
    self.method = method
  }

  private static let all = HTTPMethod.supported

  static var allValueStrings: [String] { all.map(\.token) }
}

/// A field of a request of `kindred query`: `Name: value`.
struct RequestField: ExpressibleByArgument {
  let name: String
  let value: String

  init?(argument: String) {
    // RFC 9110 §5.1, §5.5
    guard let match = argument.wholeMatch(of: /([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7E\t]*)/) else {
      return nil
    }
    name = String(match.1)
    value = String(match.2)
  }
}

/// The content of a request of `kindred query`, and its URLs on standard input.
enum QueryBody {
  /// Returns the content: the text, or that of the file after `@`.
  ///
  /// - Throws: `CommandError` if the file can't be read.
  static func bytes(_ text: String) throws -> [UInt8] {
    guard text.hasPrefix("@") else { return Array(text.utf8) }
    let path = text == "@-" ? "/dev/stdin" : String(text.dropFirst())
    do throws(TextFileError) {
      return try TextFile.bytes(of: path)
    } catch {
      throw CommandError("\(text.dropFirst()): \(error)")
    }
  }

  /// The lines of standard input that aren't blank, as they arrive.
  static var lines: some Sequence<String> {
    sequence(state: ()) { _ in
      while let line = readLine() {
        let url = line.trimmingCharacters(in: .whitespaces)
        if !url.isEmpty { return url }
      }
      return nil
    }
  }
}

/// A request has failed, which has been reported, and the exit code says how.
struct FailedStatus: Error {
  let exitCode: Int32
}
