import KindredModel
import KindredRequests

extension Completer {
  /// Completes a segment of the path.
  func segments(in text: RequestText, at position: Int) -> [Completion] {
    let range = text.surroundings(of: position, in: text.path, separator: "/")
    let hasSlash = range.lowerBound > text.path.lowerBound
    let before = text.segments.prefix { $0.range.upperBound < range.lowerBound }
    // A page of Kindred itself.
    if before.first?.raw == "-" { return [] }
    let word = TypedWord(
      text: text.piece(range.lowerBound..<position, plusIsSpace: false).text, range: range,
      next: text.scalars.indices.contains(range.upperBound) ? text.scalars[range.upperBound] : nil)
    guard !before.isEmpty else {
      func resources(by name: (Resource) -> String) -> [Completion] {
        let names = Dictionary(
          model.resources.values.map { (name($0), $0.name) }, uniquingKeysWith: { first, _ in first })
        let candidates = model.resources.values.map { Candidate(name: name($0), kind: .resource) }
        return word.completions(of: candidates) {
          (hasSlash ? "" : "/") + URLCoding.readableSegment(names[$0.name] ?? $0.name)
        }
      }
      let found = resources(by: \.name)
      // Otherwise complete by the name of the table: the table `item2` is the resource `items2`.
      return found.isEmpty ? resources(by: \.table.name) : found
    }
    var parser = PathParser(model: model, literals: Literals())
    guard let path = try? parser.parse(before.map { Substring($0.raw) }),
      let resource = path.resource(in: model)
    else { return [] }
    if path.isSingle {
      var candidates = Self.candidates(resource.associations.values)
      if range.upperBound == text.path.upperBound {
        candidates += resource.columns.filter { !$0.name.isEmpty }.map {
          Candidate(name: $0.name, kind: .column, detail: $0.declaredType)
        }
      }
      return word.completions(of: candidates) { URLCoding.readableSegment($0.name) }
    }
    return keyColumns(of: resource, in: text, range, at: position)
  }

  /// Completes the columns of a named key, such as `citizenId=1,countryCode=FR`.
  private func keyColumns(
    of resource: Resource, in text: RequestText, _ segment: Range<Int>, at position: Int
  ) -> [Completion] {
    let range = text.surroundings(of: position, in: segment, separator: ",")
    let sign = text.scalars[range].firstIndex(of: "=") ?? range.upperBound
    guard position <= sign else { return [] }
    let word = TypedWord(
      text: text.piece(range.lowerBound..<position, plusIsSpace: false).text, range: range.lowerBound..<sign,
      next: text.scalars.indices.contains(sign) ? text.scalars[sign] : nil)
    let keys = resource.table.uniqueKeys.map { $0.map { resource.table.columns[$0] } }
    // A key of which the client can't name every column names no record.
    let named = keys.filter { !$0.contains { resource.hidden.contains($0.name) } }.joined()
    let candidates = named.map {
      Candidate(name: $0.name, kind: .column, detail: $0.declaredType, ending: "=")
    }
    return word.completions(of: candidates) { URLCoding.readableSegment($0.name, isKey: true) }
  }

  /// Returns associations as candidates, named by their keys.
  static func candidates(
    _ associations: some Sequence<Association>, ending: String = ""
  ) -> [Candidate] {
    associations.map {
      Candidate(name: $0.key, kind: .association, detail: "\($0.kind) \($0.destination)", ending: ending)
    }
  }
}
