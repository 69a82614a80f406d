import KindredExecution

/// A request and how it is answered.
struct PlannedRequest: Sendable {
  var plan: ExecutablePlan
  /// Whether the result follows from the database alone.
  var isTimeless: Bool
  /// Whether the statements are wanted instead of the data.
  var explains: Bool
  /// Of a page, whether the result could be CSV too.
  var isTabular = false
  var parameters: Parameters
  /// Records of the page at most; nil for all.
  var limit: Int?
  /// Whether it is the value of one column, and not records.
  var isColumnValue = false
  /// What a file of the result is called, without its extension.
  var name = ""
  var order: RequestOrder
}

/// What decides the order of a result: a cursor belongs to requests that agree in it.
struct RequestOrder: Sendable {
  /// The segments of the path.
  var segments: [Substring]
  /// The parameters.
  var terms: String

  var text: String { segments.joined(separator: "/") + terms }
}
