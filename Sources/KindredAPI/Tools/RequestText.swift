/// The text of a URL, split into what it is made of, each piece with its place in Unicode scalars.
///
/// The text may be as an address has it, or as an editor shows it: characters that a URL would escape are taken for
/// themselves.
struct RequestText {
  /// A part of the URL, decoded.
  struct Piece {
    /// Where it stands in the URL.
    let range: Range<Int>
    /// As received.
    let raw: String
    /// Without escapes.
    let text: String
    /// Where each scalar of `text` starts in the URL, the end at last.
    private let starts: [Int]

    fileprivate init(_ range: Range<Int>, of scalars: [Unicode.Scalar], plusIsSpace: Bool) {
      self.range = range
      raw = RequestText.string(scalars[range])
      var decoded = String.UnicodeScalarView()
      var starts: [Int] = []
      var index = range.lowerBound
      while index < range.upperBound {
        let escaped = Self.escapes(in: scalars[index..<range.upperBound])
        if let text = String(validating: escaped, as: UTF8.self), !escaped.isEmpty {
          for scalar in text.unicodeScalars {
            decoded.append(scalar)
            starts.append(index)
            index += 3 * UTF8.width(scalar)
          }
        } else {
          decoded.append(plusIsSpace && scalars[index] == "+" ? " " : scalars[index])
          starts.append(index)
          index += 1
        }
      }
      text = String(decoded)
      self.starts = starts + [range.upperBound]
    }

    /// The bytes that the escapes at the start of the scalars stand for.
    private static func escapes(in scalars: ArraySlice<Unicode.Scalar>) -> [UInt8] {
      var bytes: [UInt8] = []
      var rest = scalars
      while rest.count >= 3, rest.first == "%", let high = hexValue(rest[rest.startIndex + 1]),
        let low = hexValue(rest[rest.startIndex + 2])
      {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(3)
      }
      return bytes
    }

    private static func hexValue(_ scalar: Unicode.Scalar) -> UInt8? {
      scalar.isASCII ? URLCoding.hexValue(UInt8(scalar.value)) : nil
    }

    /// How many scalars `text` has.
    var count: Int { starts.count - 1 }

    /// Where the scalars of `text` stand in the URL; positions outside count as the nearest ones inside.
    func place(from: Int, to: Int) -> Range<Int> {
      let from = starts[min(max(from, 0), count)]
      return from..<max(from, starts[min(max(to, 0), count)])
    }

    /// The position in `text` of a place in the URL.
    func position(of place: Int) -> Int {
      (starts.firstIndex { $0 > place } ?? starts.count) - 1
    }
  }

  /// A parameter of the query.
  struct Parameter {
    let name: Piece
    /// Empty where there is no `=`.
    let value: Piece
    /// Name and value.
    let range: Range<Int>
  }

  let scalars: [Unicode.Scalar]
  /// Where the path is; what stands before it are scheme and host.
  let path: Range<Int>
  /// Where the query is; nil without `?`.
  let query: Range<Int>?
  /// What stands between the slashes of the path.
  let segments: [Piece]
  /// Those that are not empty.
  let parameters: [Parameter]

  init(_ url: String) {
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

  /// Where the path begins, behind `http://host`.
  private static func pathStart(of scalars: ArraySlice<Unicode.Scalar>) -> Int {
    guard let slash = scalars.firstIndex(of: "/"), slash > 0, scalars[slash - 1] == ":",
      slash + 1 < scalars.endIndex, scalars[slash + 1] == "/"
    else { return 0 }
    return scalars[(slash + 2)...].firstIndex(of: "/") ?? scalars.endIndex
  }

  /// As the server splits a path: a slash at the end makes no difference.
  private static func segments(in path: Range<Int>, of scalars: [Unicode.Scalar]) -> [Range<Int>] {
    var ranges = split(path, at: "/", of: scalars)
    // What stands before the first slash is nothing, unless there is no slash where it should be.
    if ranges.first?.isEmpty ?? false { ranges.removeFirst() }
    if ranges.last?.isEmpty ?? false { ranges.removeLast() }
    return ranges
  }

  private static func split(
    _ range: Range<Int>, at separator: Unicode.Scalar, of scalars: [Unicode.Scalar]
  ) -> [Range<Int>] {
    scalars[range].split(separator: separator, omittingEmptySubsequences: false).map(\.indices)
  }

  /// The piece of `scalars` around `place` between two separators, within `range`.
  func surroundings(of place: Int, in range: Range<Int>, separator: Unicode.Scalar) -> Range<Int> {
    let start = scalars[range.lowerBound..<place].lastIndex(of: separator).map { $0 + 1 } ?? range.lowerBound
    let end = scalars[place..<range.upperBound].firstIndex(of: separator) ?? range.upperBound
    return start..<end
  }

  /// The pieces of a range between separators, empty ones too.
  func split(_ range: Range<Int>, at separator: Unicode.Scalar) -> [Range<Int>] {
    Self.split(range, at: separator, of: scalars)
  }

  func piece(_ range: Range<Int>, plusIsSpace: Bool) -> Piece {
    Piece(range, of: scalars, plusIsSpace: plusIsSpace)
  }

  fileprivate static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars))
  }
}
