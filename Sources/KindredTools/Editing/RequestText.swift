import KindredModel
import KindredRequests

/// The text of a URL, split into pieces, each with its range in Unicode scalars.
///
/// The text may be encoded or in the readable form of an editor: unescaped characters stand for themselves.
package struct RequestText {
  /// A decoded part of the URL.
  package struct Piece {
    /// The range in the URL.
    package let range: Range<Int>
    /// The text as received.
    let raw: String
    /// The text without escapes.
    package let text: String
    /// The position in the URL at which each scalar of `text` starts, followed by the end.
    private let starts: [Int]

    fileprivate init(_ range: Range<Int>, of scalars: [Unicode.Scalar], plusIsSpace: Bool) {
      self.range = range
      raw = RequestText.string(scalars[range])
      var decoded = String.UnicodeScalarView()
      var starts: [Int] = []
      var index = range.lowerBound
      let bytes = Array(raw.utf8)
      URLCoding.forEachRun(in: bytes) { place, escaped in
        guard let escaped, let text = String(validating: escaped, as: UTF8.self) else {
          for scalar in String(decoding: bytes[place], as: UTF8.self).unicodeScalars {
            decoded.append(plusIsSpace && scalar == "+" ? " " : scalar)
            starts.append(index)
            index += 1
          }
          return
        }
        for scalar in text.unicodeScalars {
          decoded.append(scalar)
          starts.append(index)
          index += 3 * UTF8.width(scalar)
        }
      }
      text = String(decoded)
      self.starts = starts + [range.upperBound]
    }

    /// The number of scalars in `text`.
    package var count: Int { starts.count - 1 }

    /// Returns the range in the URL of a range of scalars of `text`, clamped to valid positions.
    package func place(from: Int, to: Int) -> Range<Int> {
      let from = starts[min(max(from, 0), count)]
      return from..<max(from, starts[min(max(to, 0), count)])
    }

    /// Returns the position in `text` of a position in the URL.
    package func position(of place: Int) -> Int {
      (starts.firstIndex { $0 > place } ?? starts.count) - 1
    }
  }

  /// A parameter of the query.
  package struct Parameter {
    package let name: Piece
    /// The value; empty if there is no `=`.
    package let value: Piece
    /// The range of the name and the value.
    package let range: Range<Int>
  }

  package let scalars: [Unicode.Scalar]
  /// The range of the path, after the scheme and host.
  package let path: Range<Int>
  /// The range of the query; nil without `?`.
  package let query: Range<Int>?
  /// The segments of the path.
  package let segments: [Piece]
  /// The parameters, without empty ones.
  package let parameters: [Parameter]

  package init(_ url: String) {
    let scalars = Array(url.unicodeScalars)
    let end = scalars.firstIndex(of: "#") ?? scalars.count
    let mark = scalars[..<end].firstIndex(of: "?")
    let start = Self.pathStart(of: scalars[..<(mark ?? end)])
    path = start..<(mark ?? end)
    query = mark.map { ($0 + 1)..<end }
    self.scalars = scalars
    segments = Self.segments(in: path, of: scalars).map { Piece($0, of: scalars, plusIsSpace: false) }
    parameters = (query.map { Self.split($0, at: "&", of: scalars) } ?? []).filter { !$0.isEmpty }.map {
      range in
      let sign = scalars[range].firstIndex(of: "=") ?? range.upperBound
      return Parameter(
        name: Piece(range.lowerBound..<sign, of: scalars, plusIsSpace: true),
        value: Piece(min(sign + 1, range.upperBound)..<range.upperBound, of: scalars, plusIsSpace: true),
        range: range)
    }
  }

  /// Returns the beginning of the path, after `http://host`.
  private static func pathStart(of scalars: ArraySlice<Unicode.Scalar>) -> Int {
    guard let slash = scalars.firstIndex(of: "/"), slash > 0, scalars[slash - 1] == ":",
      slash + 1 < scalars.endIndex, scalars[slash + 1] == "/"
    else { return 0 }
    return scalars[(slash + 2)...].firstIndex(of: "/") ?? scalars.endIndex
  }

  /// Splits a path as the server does: a trailing slash is ignored.
  private static func segments(in path: Range<Int>, of scalars: [Unicode.Scalar]) -> [Range<Int>] {
    var ranges = split(path, at: "/", of: scalars)
    // The part before the first slash is empty, unless the leading slash is missing.
    if ranges.first?.isEmpty ?? false { ranges.removeFirst() }
    if ranges.last?.isEmpty ?? false { ranges.removeLast() }
    return ranges
  }

  private static func split(
    _ range: Range<Int>, at separator: Unicode.Scalar, of scalars: [Unicode.Scalar]
  ) -> [Range<Int>] {
    scalars[range].split(separator: separator, omittingEmptySubsequences: false).map(\.indices)
  }

  /// Returns the range between two separators around `place`, within `range`.
  func surroundings(of place: Int, in range: Range<Int>, separator: Unicode.Scalar) -> Range<Int> {
    let start = scalars[range.lowerBound..<place].lastIndex(of: separator).map { $0 + 1 } ?? range.lowerBound
    let end = scalars[place..<range.upperBound].firstIndex(of: separator) ?? range.upperBound
    return start..<end
  }

  /// Splits a range at separators, keeping empty pieces.
  package func split(_ range: Range<Int>, at separator: Unicode.Scalar) -> [Range<Int>] {
    Self.split(range, at: separator, of: scalars)
  }

  func piece(_ range: Range<Int>, plusIsSpace: Bool) -> Piece {
    Piece(range, of: scalars, plusIsSpace: plusIsSpace)
  }

  fileprivate static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars))
  }
}
