import KindredModel
import KindredSQLSyntax
import KindredRequests

/// The parts of a model on which the shapes of requests depend, in a form that is read without copying resources.
final class ShapeVocabulary: Sendable {
  final class Resource: Sendable {
    /// The column by which a path names a record, if it is the whole key and every text has one candidate.
    private let key: Column?
    /// Whether paths name records by such a column.
    let hasKey: Bool
    let associations: NameDictionary<Association>
    /// The columns that parameters compare and for which every text has one candidate.
    private let columns: NameDictionary<Column>
    /// The names of the parameters of its query.
    private let parameters: NameSet
    /// A bit for each length and first byte of their names, modulo 64: few other names have one of them.
    private let marks: UInt64

    init(_ resource: KindredModel.Resource) {
      let key = resource.addressColumns
      self.key = key.count == 1 && key[0].hasOneCandidate ? key[0] : nil
      hasKey = self.key != nil
      associations = resource.associations.mapValues(Association.init)
      let names = RequestNode.rootParameterNames
      columns = NameDictionary(
        resource.columns.filter { $0.hasOneCandidate && !names.contains($0.name) }.map { ($0.name, $0) },
        uniquingKeysWith: { first, _ in first })
      parameters = NameSet(resource.table.query?.parameters.map(\.name) ?? [])
      marks = columns.keys.reduce(0) { marks, name in marks | Self.mark(name.utf8) }
    }

    /// Returns the value by which a path names a record with this text; nil if it names none.
    func keyLiteral(for text: String) -> SQLValue? {
      guard let key, key.isCanonical(text) else { return nil }
      return key.literal(for: text)
    }

    /// Returns whether its query has a parameter of this name.
    func hasParameter(_ name: String) -> Bool { parameters.contains(name) }

    /// Returns the column that a parameter compares; nil if it compares none.
    func column(named bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Column? {
      guard marks & Self.mark(bytes) != 0 else { return nil }
      return columns[String(decoding: bytes, as: UTF8.self)]
    }

    private static func mark(_ name: some Collection<UInt8>) -> UInt64 {
      1 << UInt64(truncatingIfNeeded: (name.count &* 7 &+ Int(name.first ?? 0)) & 63)
    }
  }

  struct Association {
    let destination: String
    let isToOne: Bool

    init(_ association: KindredModel.Association) {
      destination = association.destination
      isToOne = association.cardinality == .toOne
    }
  }

  let resources: NameDictionary<Resource>
  /// The types of the parameters of common table expressions, but for names that have several types or that a column
  /// could be taken for.
  let parameters: NameDictionary<QueryParameter.Kind>

  init(_ model: Model) {
    resources = model.resources.mapValues(Resource.init)
    let declared = model.tables.values.flatMap { $0.query?.parameters ?? [] }
    let dotted =
      declared.isEmpty
      ? [] : model.resources.values.flatMap(\.columns).map(\.name).filter { $0.contains(".") }
    parameters = NameDictionary(
      declared.filter { parameter in !dotted.contains { $0.hasSuffix(".\(parameter.name)") } }
        .map { ($0.name, Optional($0.kind)) }
    ) { $0 == $1 ? $0 : nil }.compactMapValues(\.self)
  }
}
