/// Where a value was written, so that an error can point at it.
public struct Origin: Sendable, Hashable {
  /// The parameter as written, such as `books.filter`; nil for a path or a model file.
  public var parameter: String?
  /// In characters (Unicode scalars) from the start of the parameter's decoded value.
  public var position: Int
  /// Which one it is, from 0: of the query's parameters, which may have one name, or of the path's segments; nil where
  /// it is not known.
  public var number: Int?

  /// A place in a parameter.
  public init(parameter: String? = nil, position: Int = 0, number: Int? = nil) {
    self.parameter = parameter
    self.position = position
    self.number = number
  }
}
