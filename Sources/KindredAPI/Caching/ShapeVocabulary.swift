import KindredAssociations

/// The parts of a model on which the shapes of requests depend, in a form that is read without copying resources.
final class ShapeVocabulary: Sendable {
  final class Resource: Sendable {
    /// The column by which a path names a record, if it is the whole key and every text has one candidate.
    private let key: Column?
    /// Whether paths name records by such a column.
    let hasKey: Bool
    let associations: NameDictionary<Association>
    /// The parameters that compare a column for which every text has one candidate.
    private let columns: NameSet
    /// A bit for each length and first byte of their names, modulo 64: few other names have one of them.
    private let marks: UInt64
    /// Those of them that write some texts differently.
    private let respelled: NameDictionary<Column>

    init(_ resource: KindredAssociations.Resource) {
      let table = resource.table
      let key = table.primaryKey.count == 1 ? table.columns[table.primaryKey[0]] : nil
      self.key = key.flatMap { $0.hasOneCandidate ? $0 : nil }
      hasKey = self.key != nil
      associations = resource.associations.mapValues(Association.init)
      let compared = resource.columns.filter(\.hasOneCandidate)
      var columns = NameSet(compared.map(\.name))
      columns.subtract(RequestNode.rootParameterNames)
      self.columns = columns
      marks = columns.reduce(0) { marks, name in marks | Self.mark(name.utf8) }
      respelled = NameDictionary(
        compared.filter(\.isRespelled).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns whether a path may name a record by this text.
    func isKey(_ text: String) -> Bool { key?.isCanonical(text) ?? false }

    /// Returns the name of the column that a parameter compares; nil if it compares none.
    func column(named bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
      guard marks & Self.mark(bytes) != 0 else { return nil }
      let name = String(decoding: bytes, as: UTF8.self)
      return columns.contains(name) ? name : nil
    }

    /// Returns a text as the column reads it.
    func spelling(of text: String, in column: String) -> String {
      respelled[column]?.spelling(of: text) ?? text
    }

    private static func mark(_ name: some Collection<UInt8>) -> UInt64 {
      1 << UInt64(truncatingIfNeeded: (name.count &* 7 &+ Int(name.first ?? 0)) & 63)
    }
  }

  struct Association {
    let destination: String
    let isToOne: Bool

    init(_ association: KindredAssociations.Association) {
      destination = association.destination
      isToOne = association.cardinality == .toOne
    }
  }

  let resources: NameDictionary<Resource>

  init(_ model: Model) {
    resources = model.resources.mapValues(Resource.init)
  }
}
