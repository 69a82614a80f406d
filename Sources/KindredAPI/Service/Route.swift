import KindredAssociations

/// The destination of a path.
enum Route: Equatable {
  /// `/`: the index of the resources.
  case index
  /// A page of Kindred itself.
  case operations(OperationsPage)
  /// A file of the explorer: the path after `/-/explorer/`.
  case asset(Substring)
  /// Several requests as one transaction.
  case batch
  /// Records: the encoded segments of the path.
  case records([Substring])

  /// - Throws: `RequestError` if Kindred has no such page.
  init(_ path: Substring) throws {
    guard path.utf8.dropFirst().first == UInt8(ascii: "-"), path.hasPrefix("/-/") else {
      // A path of one byte is `/` or `*`.
      self = path.utf8.count == 1 ? .index : .records(Self.segments(of: path))
      return
    }
    if path == "/-/batch" {
      self = .batch
    } else if path.hasPrefix("/-/explorer/") {
      self = .asset(path.dropFirst("/-/explorer/".count))
    } else if let page = OperationsPage(rawValue: String(path.dropFirst(3))) {
      self = .operations(page)
    } else {
      throw RequestError(.notFound, "there is nothing at \(path)")
    }
  }

  /// Returns the segments between slashes, ignoring a trailing slash.
  ///
  /// It works on UTF-8 to avoid grapheme breaking.
  private static func segments(of path: Substring) -> [Substring] {
    var segments: [Substring] = []
    segments.reserveCapacity(4)
    let bytes = path.utf8
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let start = bytes.index(after: index)
      index = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
      if index < bytes.endIndex || start < index { segments.append(path[start..<index]) }
    }
    return segments
  }
}
