/// What determines the order of a result: a cursor is valid for requests that agree in it.
struct RequestOrder: Sendable {
  /// The segments of the path.
  var segments: [Substring]
  /// The names and decoded values of the parameters that are part of the request's shape.
  var terms: [[String]] = []
  /// The patterns of the searches, which are literals.
  var patterns: [String] = []
  /// The standing of the principal.
  var principal: [UInt8] = []

  /// The associated data that cursors are bound to.
  var associatedData: [UInt8] {
    var data = ListBytes()
    data.append(segments) { $0.append($1) }
    data.append(terms) { data, term in data.append(term) { $0.append($1) } }
    data.append(patterns) { $0.append($1) }
    data.append(principal)
    return data.bytes
  }
}
