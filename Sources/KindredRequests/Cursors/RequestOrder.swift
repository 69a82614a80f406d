/// What determines the order of a result: a cursor is valid for requests that agree in it.
package struct RequestOrder: Sendable {
  /// The segments of the path.
  package var segments: [Substring]
  /// The names and decoded values of the parameters that are part of the request's shape.
  package var terms: [[String]] = []
  /// The patterns of the searches, which are literals.
  package var patterns: [String] = []
  /// The standing of the principal.
  package var principal: [UInt8] = []

  package init(
    segments: [Substring], terms: [[String]] = [], patterns: [String] = [], principal: [UInt8] = []
  ) {
    self.segments = segments
    self.terms = terms
    self.patterns = patterns
    self.principal = principal
  }

  /// The associated data that cursors are bound to.
  package var associatedData: [UInt8] {
    var data = ListBytes()
    data.append(segments) { $0.append($1) }
    data.append(terms) { data, term in data.append(term) { $0.append($1) } }
    data.append(patterns) { $0.append($1) }
    data.append(principal)
    return data.bytes
  }
}
