/// What values with parts are made of.
public indirect enum ValueStructure: Sendable, Hashable {
  /// Arrays of such elements.
  case elements(Part)
  /// Records with such fields.
  case fields([Part])

  /// An element or a field.
  public struct Part: Sendable, Hashable {
    /// The name of a field; empty for an element.
    public let name: String
    /// The declared type.
    public let type: String
    /// The affinity of its values.
    public let affinity: Column.Affinity
    /// Whether its numbers are exact and written with their scale.
    public var keepsScale = false
    /// The bits of its integers.
    public var integerBits = 64
    /// The only values that its type has, if it is an enumeration; else empty.
    public let labels: [String]
    /// What it is made of in turn; nil for other values, and where that isn't known.
    public let structure: ValueStructure?

    /// Creates a part.
    public init(
      name: String = "", type: String, affinity: Column.Affinity, labels: [String] = [],
      structure: ValueStructure? = nil
    ) {
      (self.name, self.type, self.affinity, self.labels) = (name, type, affinity, labels)
      self.structure = structure
    }

    /// The part as a column, which may be NULL.
    package var column: Column {
      var column = Column(
        name: name, declaredType: type, affinity: affinity,
        isComposed: structure != nil || type.hasSuffix("[]"))
      (column.labels, column.structure) = (labels, structure)
      (column.keepsScale, column.integerBits) = (keepsScale, integerBits)
      return column
    }
  }
}

/// The functions that make documents of the values of a type, and values of documents.
public struct DocumentFunctions: Sendable, Hashable {
  /// The name of the function that makes a document of a value, quoted.
  public let reading: String
  /// That of the one that makes a value of a document; nil if values are written as texts.
  public let writing: String?
  /// Whether they are for the elements of an array.
  public let areOfElements: Bool

  /// Creates the functions of a type, or of the type of elements.
  public init(reading: String, writing: String?, areOfElements: Bool = false) {
    (self.reading, self.writing, self.areOfElements) = (reading, writing, areOfElements)
  }
}
