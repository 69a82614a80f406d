import Foundation
import Kindred
import KindredModel

/// The tables and associations of a server, from its `/-/schema`.
final class RemoteSchema: Sendable {
  /// The tag of the document.
  let tag: String?
  /// The resources with their associations.
  let model: Model
  private let tables: [KindredModel.Table]

  /// Creates the schema from the document.
  ///
  /// - Throws: `RemoteError` if it is another one.
  init(json: [UInt8], tag: String? = nil) throws {
    guard let document = try? JSONDecoder().decode(Document.self, from: Data(json)) else {
      throw RemoteError.malformedAnswer("`/-/schema` is another document")
    }
    self.tag = tag
    var tables = NameDictionary<KindredModel.Table>()
    var resources = NameDictionary<Resource>()
    let names = Dictionary(
      document.resources.map { ($0.name, $0.table) }, uniquingKeysWith: { first, _ in first })
    for described in document.resources {
      let table = described.schema(tablesByResource: names)
      if tables[table.name] == nil { tables[table.name] = table }
      var resource = Resource(name: described.name, table: table)
      for association in described.associations {
        resource.associations[association.key] = association.association(of: described.table, names)
      }
      resources[described.name] = resource
    }
    model = Model(resources: resources, tables: tables)
    self.tables = Array(tables.values)
  }

  /// What resolving a request needs to know.
  var ofRequests: RequestSchema {
    RequestSchema(
      tables: tables, missingTable: { RemoteError.unknownTable($0) },
      refusal: { RemoteError.notExpressible($0) })
  }

  /// Returns the resource of a table.
  ///
  /// - Throws: `RemoteError` if there is none.
  func resource(of table: String) throws -> Resource {
    if let resource = model.resources.values.first(where: { $0.table.name.equalsIgnoringCase(table) }) {
      return resource
    }
    throw RemoteError.unknownTable(table)
  }
}

/// The members of `/-/schema` that requests need.
private struct Document: Decodable {
  let resources: [Described]

  struct Described: Decodable {
    let name: String
    let table: String
    let key: [String]
    let columns: [Column]
    let uniqueKeys: [[String]]?
    let associations: [Association]
  }

  struct Column: Decodable {
    let name: String
    let type: String
    /// How its values are written in JSON.
    let input: String?
    let nullable: Bool
    /// Whether the model file computes it, so that the database has no such column.
    let computed: Bool?
  }

  struct Association: Decodable {
    let key: String
    let kind: String
    let destination: String
    /// The columns of an association of one step.
    let columns: [String: String]?
    let steps: [Step]?
    /// Whether it leads to some of the records only.
    let isFiltered: Bool?
  }

  struct Step: Decodable {
    let from: String?
    let to: String?
    let columns: [String: String]
  }
}

extension Document.Described {
  func schema(tablesByResource names: [String: String]) -> KindredModel.Table {
    let columns = columns.filter { $0.computed != true }
    func positions(_ names: [String]) -> [Int]? {
      let positions = names.compactMap { name in columns.firstIndex { $0.name == name } }
      return positions.count == names.count ? positions : nil
    }
    // The only column of a key that is declared so stands for the rowid; where no key is declared, the rowid itself is
    // the first column.
    let only = key.count == 1 ? columns.first { $0.name == key[0] } : nil
    let alias = only.flatMap { $0.type.uppercased() == "INTEGER" ? $0.name : nil }
    let primaryKey = positions(key) ?? []
    return KindredModel.Table(
      name: table, kind: .table,
      columns: columns.map {
        // SQLite has no affinity of this type, and PostgreSQL's values are texts.
        KindredModel.Column(
          name: $0.name, declaredType: $0.type,
          affinity: $0.type == "uuid" && $0.input == "text" ? .text : nil, isNullable: $0.nullable)
      },
      primaryKey: primaryKey, uniqueKeys: [primaryKey] + (uniqueKeys ?? []).compactMap(positions),
      foreignKeys: associations.compactMap { $0.foreignKey(names) },
      rowIDName: key.isEmpty ? nil : "rowid", rowIDColumn: alias)
  }
}

extension Document.Association {
  /// The foreign key that an association of the origin's own columns follows.
  func foreignKey(_ tablesByResource: [String: String]) -> KindredModel.ForeignKey? {
    guard kind == "belongsTo", let columns, !columns.isEmpty, let destination = tablesByResource[destination]
    else { return nil }
    let pairs = columns.sorted { $0.key < $1.key }
    return KindredModel.ForeignKey(
      columns: pairs.map(\.key), destination: destination, destinationColumns: pairs.map(\.value))
  }

  func association(
    of table: String, _ tablesByResource: [String: String]
  ) -> KindredModel.Association {
    func step(_ from: String, _ to: String, _ columns: [String: String]) -> AssociationStep {
      let pairs = columns.sorted { $0.key < $1.key }
      return AssociationStep(
        origin: from, destination: to, originColumns: pairs.map(\.key),
        destinationColumns: pairs.map(\.value),
        direction: kind == "belongsTo" ? .belongsTo : .has,
        isToOne: kind.hasPrefix("hasOne") || kind == "belongsTo")
    }
    let steps =
      steps.map { $0.map { step($0.from ?? "", $0.to ?? "", $0.columns) } }
      ?? [step(table, tablesByResource[destination] ?? "", columns ?? [:])]
    return KindredModel.Association(
      key: key, cardinality: kind.hasPrefix("hasMany") ? .toMany : .toOne, steps: steps,
      destination: destination,
      filter: isFiltered == true ? Expression(.boolean(true), at: Origin()) : nil)
  }
}
