/// The place of a value in a request, so that an error can point at it.
public struct Origin: Sendable, Hashable {
  /// The parameter as written, such as `books.filter`; nil for a path or a model file.
  public var parameter: String?
  /// The offset in Unicode scalars from the start of the parameter's decoded value.
  public var position: Int
  /// The index of the parameter in the query, where names may repeat, or of the segment in the path; nil if unknown.
  public var number: Int?

  /// Creates a place in a parameter or a path.
  public init(parameter: String? = nil, position: Int = 0, number: Int? = nil) {
    self.parameter = parameter
    self.position = position
    self.number = number
  }
}
