import KindredModel
import KindredSQLSyntax
import KindredRequests

/// The parts of a model on which the shapes of requests depend, in a form that is read without copying resources.
final class ShapeVocabulary: Sendable {
  final class Resource: Sendable {
    /// The columns by which a path names a record.
    private let key: [Column]
    let associations: NameDictionary<Association>
    private let columns: NameDictionary<Column>
    /// The names of the parameters of its query.
    private let parameters: NameSet
    /// A bit for each length and first byte of their names, modulo 64: few other names have one of them.
    private let marks: UInt64

    init(_ resource: KindredModel.Resource) {
      key = resource.addressColumns
      associations = resource.associations.mapValues(Association.init)
      columns = NameDictionary(
        resource.columns.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
      parameters = NameSet(resource.table.query?.parameters.map(\.name) ?? [])
      marks = columns.keys.reduce(0) { marks, name in marks | Self.mark(name.utf8) }
    }

    /// Returns the columns that a key of so many values consists of, in their order; nil if there are none.
    ///
    /// - Parameter association: The association before the key, which may fix some of its columns.
    func keyColumns(count: Int, below association: Association?) -> [Column]? {
      if key.count == count { return key }
      let open = key.filter { !(association?.fixedColumns.contains($0.name) ?? false) }
      return open.count == count && count > 0 ? open : nil
    }

    /// Returns how many values may stand in a path: of a key of one column, the whole segment is the value.
    var isKeySplit: Bool { key.count > 1 }

    /// Returns whether a path may end with this column.
    func hasColumn(_ name: String) -> Bool { columns[name] != nil }

    /// Returns the column with this name.
    func column(_ name: String) -> Column? { columns[name] }

    /// Returns whether its query has a parameter of this name.
    func hasParameter(_ name: String) -> Bool { parameters.contains(name) }

    /// Returns the column that a parameter compares; nil if it compares none.
    func column(named bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Column? {
      guard marks & Self.mark(bytes) != 0 else { return nil }
      let name = String(decoding: bytes, as: UTF8.self)
      guard let column = columns[name], column.hasOneCandidate, !RequestNode.rootParameterNames.contains(name)
      else { return nil }
      return column
    }

    private static func mark(_ name: some Collection<UInt8>) -> UInt64 {
      1 << UInt64(truncatingIfNeeded: (name.count &* 7 &+ Int(name.first ?? 0)) & 63)
    }
  }

  struct Association {
    let destination: String
    let isToOne: Bool
    /// The columns of the destination's key that it fixes.
    let fixedColumns: NameSet

    init(_ association: KindredModel.Association) {
      destination = association.destination
      isToOne = association.cardinality == .toOne
      fixedColumns = NameSet(association.fixedColumns)
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
