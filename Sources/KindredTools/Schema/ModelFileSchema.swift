import KindredModel
import KindredRequests
import OrderedCollections

/// `/-/schema.json`: the JSON Schema of the model file for this database, with which editors complete and check the
/// file (<https://json-schema.org/draft/2020-12>).
package struct ModelFileSchema {
  package static let mediaType = "application/schema+json"

  let model: Model

  package init(model: Model) { self.model = model }

  package var json: JSONValue {
    [
      "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Kindred's model file",
      "type": ["object", "null"],
      "properties": [
        "resources": [
          "description": "Refinements of the inferred resources, by name.", "type": "object",
          "properties": .object(model.resources.values.map { ($0.name, schema(of: $0)) }),
          // A new name for a table, or the removal of a resource that doesn't exist at the moment.
          "additionalProperties": ["anyOf": [["type": "null"], newResource]],
        ],
        "commonTableExpressions": [
          "description": "SELECT statements that become resources, by name.", "type": "object",
          "additionalProperties": ["$ref": "#/$defs/commonTableExpression"],
        ],
        "actions": [
          "description": "Named SQL that writes.", "type": "object",
          "propertyNames": ["pattern": "^[A-Za-z0-9_]+$"],
          "additionalProperties": ["$ref": "#/$defs/action"],
        ],
        "access": [
          "description":
            "Who may read and write the resources without `access`; without it, these are closed once any has some.",
          "$ref": "#/$defs/access",
        ],
      ],
      "additionalProperties": false,
      "$defs": definitions,
    ]
  }

  /// One resource for each table.
  private var resourcesByTable: OrderedDictionary<String, Resource> {
    OrderedDictionary(model.resources.values.map { ($0.table.name, $0) }) { first, _ in first }
  }

  private func schema(of resource: Resource) -> JSONValue {
    [
      "$ref": "#/$defs/resource", "if": ["type": "object", "required": ["table"]],
      "then": ["$ref": "#/$defs/ofNamedTable"], "else": Self.columns(of: resource.table.name),
    ]
  }

  private var newResource: JSONValue {
    [
      "type": "object", "required": ["table"],
      "allOf": [["$ref": "#/$defs/resource"], ["$ref": "#/$defs/ofNamedTable"]],
    ]
  }

  // MARK: Definitions

  private var definitions: JSONValue {
    let tables = resourcesByTable
    let named = tables.keys.map { name -> JSONValue in
      [
        "if": ["properties": ["table": ["const": .string(name)]], "required": ["table"]],
        "then": Self.columns(of: name),
      ]
    }
    return [
      "resource": resource, "foreignKeys": foreignKeys, "association": association, "access": Self.access,
      "rules": Self.rules, "rule": Self.rule, "withoutSet": Self.withoutSet,
      "commonTableExpression": Self.commonTableExpression,
      "action": Self.action,
      "expression": [
        "description": "An expression, written as in a URL.", "type": ["string", "boolean", "number"],
      ],
      "order": ["anyOf": [["type": "string"], Self.texts]],
      "ofNamedTable": named.isEmpty ? true : ["allOf": .array(named)],
    ] + .object(tables.map { ("columns.\(Self.component($0))", columns(of: $1)) })
  }

  private var resource: JSONValue {
    [
      "type": ["object", "null"],
      "properties": [
        "table": [
          "description": "The table of the resource.", "enum": JSONValue(strings: resourcesByTable.keys),
        ],
        "sort": ["description": "The default order, such as `-year, title`.", "$ref": "#/$defs/order"],
        "fields": Self.described("The columns that are returned by default.", Self.texts),
        "hidden": Self.described("The columns that clients can neither read, name nor write.", Self.texts),
        "label": ["description": "The column shown in place of a record.", "type": "string"],
        "search": [
          "description": "The tsvector column of PostgreSQL in which searches look, and its language.",
          "type": "object", "additionalProperties": false,
          "properties": [
            "column": ["description": "The tsvector column.", "type": "string"],
            "configuration": ["description": "The text search configuration.", "type": "string"],
          ],
        ],
        "key": Self.described(
          "The columns that identify the rows of a view, or of a table without a declared key.", Self.texts),
        "foreignKeys": ["$ref": "#/$defs/foreignKeys"],
        "associations": [
          "description": "The associations, by key; null removes an inferred one.", "type": "object",
          "additionalProperties": ["$ref": "#/$defs/association"],
        ],
        "columns": [
          "description": "Computed columns: expressions, by name.", "type": "object",
          "additionalProperties": ["$ref": "#/$defs/expression"],
        ],
        "access": ["$ref": "#/$defs/access"],
      ],
      "additionalProperties": false,
    ]
  }

  private var foreignKeys: JSONValue {
    let destination: JSONValue = ["enum": JSONValue(strings: model.resources.keys)]
    let ofColumn: JSONValue = [
      "type": "object", "minProperties": 1, "maxProperties": 1,
      "propertyNames": destination, "additionalProperties": ["type": "string"],
    ]
    let byColumn: JSONValue = ["type": "object", "additionalProperties": ["anyOf": [destination, ofColumn]]]
    let composite: JSONValue = [
      "type": "object", "required": ["columns", "references"], "additionalProperties": false,
      "properties": ["columns": Self.texts, "references": destination, "to": Self.texts],
    ]
    return [
      "description":
        "The foreign keys that the schema doesn't declare: by column, the resource whose key it holds, or that resource with another unique column.",
      "anyOf": [byColumn, ["type": "array", "items": ["anyOf": [byColumn, composite]]]],
    ]
  }

  private var association: JSONValue {
    let destination: JSONValue = [
      "description": "The associated resource.", "enum": JSONValue(strings: model.resources.keys),
    ]
    let columns: JSONValue = [
      "description": "The referring columns, alone or with the columns that they refer to.",
      "anyOf": [
        Self.texts, ["type": "object", "minProperties": 1, "additionalProperties": ["type": "string"]],
      ],
    ]
    let ways = ["belongsTo", "hasOne", "hasMany", "from"].map { way -> JSONValue in
      ["required": [.string(way)]]
    }
    return [
      "type": ["object", "null"],
      "properties": [
        "belongsTo": destination, "hasOne": destination, "hasMany": destination, "foreignKey": columns,
        "through": ["description": "An association of this resource.", "type": "string"],
        "using": ["description": "An association of the intermediate resource.", "type": "string"],
        "from": ["description": "An association of this resource to refine.", "type": "string"],
        "filter": ["$ref": "#/$defs/expression"], "sort": ["$ref": "#/$defs/order"],
        "parameters": [
          "description": "Values of parameters of the associated resource, which requests can't give then.",
          "type": "object", "additionalProperties": Self.value,
        ],
      ],
      "additionalProperties": false, "if": ["type": "object"], "then": ["oneOf": .array(ways)],
    ]
  }

  private static let access: JSONValue = [
    "description": "Who may read and write which records.", "type": "object",
    "properties": .object(
      ["create", "update", "delete"].map { ($0, ["$ref": "#/$defs/rules"]) }
        // Neither reading nor all writing at once has `set`.
        + ["read", "write"].map { name in
          (name, ["allOf": [["$ref": "#/$defs/rules"], ["$ref": "#/$defs/withoutSet"]]])
        }),
    "additionalProperties": false,
  ]

  private static let rules: JSONValue = [
    "anyOf": [["$ref": "#/$defs/rule"], ["type": "array", "items": ["$ref": "#/$defs/rule"]]]
  ]

  private static let rule: JSONValue = [
    "type": "object",
    "properties": [
      "roles": described("The roles that the entry applies to; without them, all roles.", texts),
      "rows": ["description": "The condition that a record must satisfy.", "$ref": "#/$defs/expression"],
      "fields": described("The columns that the entry applies to; without them, all columns.", texts),
      "set": [
        "description":
          "Expressions, by the columns that the server sets with them. With `set` of `delete`, a record stays.",
        "type": "object", "additionalProperties": ["$ref": "#/$defs/expression"],
      ],
    ],
    "additionalProperties": false,
  ]

  private static let withoutSet: JSONValue = [
    "properties": ["set": false], "items": ["properties": ["set": false]],
  ]

  private static let commonTableExpression: JSONValue = [
    "type": "object", "required": ["sql"],
    "properties": [
      "sql": ["description": "One SELECT.", "type": "string"],
      "key": described("The columns that identify the rows.", texts),
      "as": ["description": "The resource whose records the rows are.", "type": "string"],
      "parameters": [
        "description": "The parameters of the SELECT, in which they are `:name`.", "type": "object",
        "propertyNames": ["pattern": "^[A-Za-z0-9_]+$"],
        "additionalProperties": [
          "anyOf": [
            type,
            [
              "type": "object", "required": ["type"], "properties": ["type": type, "default": value],
              "additionalProperties": false,
            ],
          ]
        ],
      ],
    ],
    "additionalProperties": false,
  ]

  private static let action: JSONValue = [
    "type": "object", "required": ["sql"],
    "properties": [
      "sql": [
        "description": "One or more statements, in which the parameters are `:name`.", "type": "string",
      ],
      "as": ["description": "The resource whose records the rows are.", "type": "string"],
      "single": ["description": "Whether it gives one row instead of all.", "type": "boolean"],
      "access": [
        "description": "The roles that may call it; `{}` is everybody.",
        "anyOf": [actionRule, ["type": "array", "items": actionRule]],
      ],
      "parameters": [
        "description": "The members of the content of a call.", "type": "object",
        "propertyNames": ["pattern": "^[A-Za-z0-9_]+$"],
        "additionalProperties": [
          "anyOf": [
            typeOfAction,
            [
              "type": "object", "required": ["type"], "properties": ["type": typeOfAction, "default": [:]],
              "additionalProperties": false,
            ],
            [
              "type": "object", "required": ["from"],
              "properties": [
                "type": typeOfAction, "from": ["type": "string", "pattern": "^auth\\..+"],
                "required": ["type": "boolean"],
              ],
              "additionalProperties": false,
            ],
          ]
        ],
      ],
    ],
    "additionalProperties": false,
  ]

  private static let actionRule: JSONValue = [
    "type": "object", "properties": ["roles": described("The roles.", texts)], "additionalProperties": false,
  ]

  private static let typeOfAction: JSONValue = [
    "enum": JSONValue(strings: ActionParameter.Kind.allCases.map(\.rawValue))
  ]

  /// The types of parameters.
  private static let type: JSONValue = [
    "enum": JSONValue(strings: QueryParameter.Kind.allCases.map(\.rawValue))
  ]

  /// The value of a parameter.
  private static let value: JSONValue = ["type": ["string", "number", "boolean", "null"]]

  /// Returns the schema of the members that name columns of the resource's table.
  private func columns(of resource: Resource) -> JSONValue {
    let column: JSONValue = ["enum": JSONValue(strings: resource.columns.map(\.name))]
    let list: JSONValue = ["items": column]
    // Columns that are already hidden aren't listed.
    let hidden: JSONValue =
      resource.hidden.isEmpty ? list : ["items": ["anyOf": [column, ["type": "string"]]]]
    return [
      "properties": ["key": list, "foreignKeys": ["propertyNames": column]], "if": ["required": ["columns"]],
      // The names of computed columns are in the file itself.
      "then": true, "else": ["properties": ["fields": list, "label": column, "hidden": hidden]],
    ]
  }

  private static let texts: JSONValue = ["type": "array", "items": ["type": "string"]]

  private static func described(_ description: String, _ schema: JSONValue) -> JSONValue {
    ["description": .string(description)] + schema
  }

  private static func columns(of table: String) -> JSONValue {
    ["$ref": .string("#/$defs/columns.\(component(table))")]
  }

  /// Returns a name that needs no escaping in a JSON pointer.
  private static func component(_ name: String) -> String { OpenAPISchema.component(name) }
}
