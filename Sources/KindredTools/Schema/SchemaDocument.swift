import KindredModel
import KindredSQLSyntax
import KindredRequests

/// `/-/schema`: the model, for editors, clients and the explorer (docs/tools.md).
package struct SchemaDocument {
  let model: Model
  let limits: RequestLimits
  private let basePath: BasePath
  private let origins: AssociationOrigins

  package init(model: Model, limits: RequestLimits, basePath: BasePath = .root) {
    self.model = model
    self.limits = limits
    self.basePath = basePath
    origins = AssociationOrigins(model)
  }

  /// Returns the document of one resource, or of all without a name.
  ///
  /// - Throws: `RequestError` if there is no resource of this name.
  package func json(of name: String? = nil) throws -> JSONValue {
    guard let name else {
      return [
        "resources": .array(model.resources.values.map(json)), "actions": model.actionsJSON,
        "limits": limitsJSON,
      ]
    }
    guard let resource = model.resources[name] else {
      throw model.unknownResource(name, at: Origin(parameter: "resource"))
    }
    return ["resources": [json(resource)], "limits": limitsJSON]
  }

  private var limitsJSON: JSONValue {
    func number(_ value: Int64?) -> JSONValue { value.map(JSONValue.integer) ?? .null }
    return [
      "pageSize": number(limits.pageSize), "maximumPageSize": number(limits.maximumPageSize),
      "treeDepth": .integer(Int64(limits.treeDepth)), "nodes": .integer(Int64(limits.nodes)),
      "expressionDepth": .integer(Int64(limits.expressionDepth)),
    ]
  }

  private func json(_ resource: Resource) -> JSONValue {
    let writeOnly = model.writeOnlyColumns(of: resource)
    let preset = model.presetColumns(of: resource)
    return [
      "name": .string(resource.name), "table": .string(resource.table.name),
      "link": .string("\(basePath.text)/\(URLCoding.encodeSegment(resource.name))"),
      "key": JSONValue(strings: resource.shownAddressColumns.map(\.name)),
      "label": resource.labelColumn.map { .string($0.name) } ?? .null,
      "isSearchable": .bool(resource.table.fullText != nil),
      "columns": .array(resource.columns.map { json($0, isPreset: preset.containsExactly($0.name)) }),
      // What the client may write and not read.
      "writeOnly": writeOnly.isEmpty
        ? nil : .array(writeOnly.map { json($0, isPreset: preset.containsExactly($0.name)) }),
      "associations": .array(resource.associations.values.map { json($0, of: resource) }),
      "uniqueKeys": .array(uniqueKeys(of: resource)), "parameters": resource.parametersJSON,
      "description": resource.table.comment.map(JSONValue.string),
      // The default selection, if not all stored columns.
      "fields": resource.fields.map { _ in JSONValue(strings: resource.defaultColumns.map(\.name)) },
    ]
  }

  /// Returns the sets of columns whose values are unique, as far as they are visible.
  private func uniqueKeys(of resource: Resource) -> [JSONValue] {
    resource.table.uniqueKeys.map { key in key.map { resource.table.columns[$0].name } }
      .filter { origins.isVisible($0, of: resource.table.name) }.map(JSONValue.init(strings:))
  }

  private func json(_ column: Column, isPreset: Bool) -> JSONValue {
    [
      "name": .string(column.name), "type": .string(column.declaredType),
      "input": .string(column.input.rawValue), "nullable": .bool(column.isNullable),
      "isGenerated": .bool(column.isGenerated),
      "default": column.defaultValue.map { .string($0.rendered().text) } ?? .null,
      "computed": column.isComputed ? true : nil,
      "bits": column.integerBits < 64 ? .integer(Int64(column.integerBits)) : nil,
      "decimal": column.keepsScale ? true : nil,
      "isPreset": isPreset ? true : nil,
      "literal": column.literal.map { .string($0.rawValue) },
      "description": column.comment.map(JSONValue.string),
      "values": column.labels.isEmpty ? nil : JSONValue(strings: column.labels),
      "parts": column.structure.map { Self.parts(of: $0) },
    ]
  }

  /// Returns the element of arrays, or the fields of records.
  private static func parts(of structure: ValueStructure) -> JSONValue {
    let parts =
      switch structure {
      case .elements(let element): [element]
      case .fields(let fields): fields
      }
    return .array(
      parts.map { part in
        let column = part.column
        return [
          "name": part.name.isEmpty ? nil : .string(part.name), "type": .string(part.type),
          "input": .string(column.input.rawValue),
          "bits": part.integerBits < 64 ? .integer(Int64(part.integerBits)) : nil,
          "decimal": part.keepsScale ? true : nil,
          "values": part.labels.isEmpty ? nil : JSONValue(strings: part.labels),
          "parts": part.structure.map { Self.parts(of: $0) },
        ]
      })
  }

  private func json(_ association: Association, of resource: Resource) -> JSONValue {
    let inverse = model.inverse(of: association, of: resource)
    let destination = association.parameters.isEmpty ? nil : model.resources[association.destination]
    let parameters = destination?.table.parameters.compactMap { parameter in
      association.parameters[parameter.name].map { (parameter.name, parameter.kind.json($0)) }
    }
    let steps = association.steps.map { step -> JSONValue in
      [
        "from": !origins.isVisible(step.origin) ? .null : .string(step.origin),
        "to": !origins.isVisible(step.destination) ? .null : .string(step.destination),
        "columns": columns(of: step),
      ]
    }
    return [
      "key": .string(association.key), "kind": .string(association.kind),
      "destination": .string(association.destination),
      "inverse": inverse.map { .string($0.key) } ?? .null,
      "origin": origins[association].map(JSONValue.string) ?? .null,
      "isFiltered": association.isFiltered ? true : nil, "parameters": parameters.map(JSONValue.object),
      "columns": association.steps.first.map(columns), "steps": steps.count > 1 ? .array(steps) : nil,
    ]
  }

  /// Returns a mapping of the origin's columns to the destination's, which are equal; empty if any isn't visible or is a
  /// period.
  private func columns(of step: AssociationStep) -> JSONValue {
    guard !step.hasPeriod, origins.isVisible(step.originColumns, of: step.origin),
      origins.isVisible(step.destinationColumns, of: step.destination)
    else { return .object([]) }
    return .object(zip(step.originColumns, step.destinationColumns).map { ($0, .string($1)) })
  }
}

extension Model {
  /// Returns the inverse association; of several, the one without a condition.
  func inverse(of association: Association, of resource: Resource) -> Association? {
    let found = resources[association.destination]?.associations.values.filter { other in
      other.destination == resource.name && other.steps.count == association.steps.count
        && zip(other.steps, association.steps.reversed()).allSatisfy { $0.leads(as: $1.reversed) }
    }
    return found?.first { $0.filter == nil } ?? found?.first
  }
}

extension Resource {
  /// The parameters; nil if the resource has none.
  var parametersJSON: JSONValue? {
    table.parameters.isEmpty ? nil : .array(table.parameters.map(JSONValue.init))
  }
}

extension JSONValue {
  fileprivate init(_ parameter: QueryParameter) {
    self = [
      "name": .string(parameter.name), "type": .string(parameter.kind.rawValue),
      "required": .bool(parameter.isRequired),
      "default": parameter.defaultValue.map(parameter.kind.json) ?? .null,
    ]
  }
}

extension QueryParameter.Kind {
  /// Returns a value of a parameter of this type as JSON.
  func json(_ value: SQLValue) -> JSONValue {
    switch value {
    case .integer(let number): self == .boolean ? .bool(number != 0) : .integer(number)
    case .real(let number): .real(number)
    case .text(let text): .string(text)
    case .null, .blob: .null
    }
  }
}

/// The origins of associations, as far as the client may see them.
package struct AssociationOrigins {
  /// The visible columns of each table.
  private let visible: [String: Set<String>]

  package init(_ model: Model) {
    visible = Dictionary(
      model.resources.values.map { ($0.table.name, Set($0.columns.map(\.name))) },
      uniquingKeysWith: { $0.union($1) })
  }

  /// The line of the model file, or the columns of the foreign keys, such as `book.authorId`; nil if these aren't
  /// visible.
  package subscript(association: Association) -> String? {
    if let definition = association.definition { return definition }
    let keys = association.steps.map { step in
      step.direction == .belongsTo
        ? (step.origin, step.originColumns) : (step.destination, step.destinationColumns)
    }
    guard keys.allSatisfy({ isVisible($1, of: $0) }) else { return nil }
    return keys.flatMap { table, columns in columns.map { "\(table).\($0)" } }.joined(separator: ", ")
  }

  package func isVisible(_ table: String) -> Bool { visible[table] != nil }

  package func isVisible(_ columns: [String], of table: String) -> Bool {
    columns.allSatisfy { visible[table]?.contains($0) ?? false }
  }
}
