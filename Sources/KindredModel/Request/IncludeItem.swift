/// An item of `include` or `join`: `[key:]path`.
public struct IncludeItem: Sendable {
  /// One association of the path.
  public struct Step: Sendable {
    /// The key of an association, or of a node of the request.
    public var key: String
    /// Whether `!` follows.
    public var isRequired = false
    /// The number after `*`; nil without `*`, `.max` for `*` without a number.
    public var recursion: Int?
    /// The place of the step in the request.
    public var origin: Origin
  }

  /// The new key of the last step.
  public var key: String?
  /// The steps of the path, at least one.
  public var steps: [Step]

  init(key: String?, steps: [Step]) {
    self.key = key
    self.steps = steps
  }

  /// Creates an item from a path of keys, at least one.
  public init(keys: [String]) {
    self.init(key: nil, steps: keys.map { Step(key: $0, origin: Origin()) })
  }
}
