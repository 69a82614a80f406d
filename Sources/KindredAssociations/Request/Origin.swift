/// Where a value was written, so that an error can point at it.
public struct Origin: Sendable, Hashable {
  /// The parameter as written, such as `books.filter`; nil for a path or a model file.
  public var parameter: String?
  /// In characters (Unicode scalars) from the start of the parameter's decoded value.
  public var position: Int

  /// A place in a parameter.
  public init(parameter: String? = nil, position: Int = 0) {
    self.parameter = parameter
    self.position = position
  }
}
