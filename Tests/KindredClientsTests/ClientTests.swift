import Testing

@testable import KindredClients

@Suite("Printed clients")
struct ClientTests {
  /// Returns the schema of resources without associations.
  private func schema(_ resources: (name: String, columns: String, more: String)...) throws -> ServerSchema {
    let documents = resources.map { resource in
      """
      {"name": "\(resource.name)", "table": "\(resource.name)", "key": ["id"], "columns": [\(resource.columns)],
       "associations": []\(resource.more)}
      """
    }
    return try ServerSchema(json: Array("{\"resources\": [\(documents.joined(separator: ","))]}".utf8))
  }

  private func column(
    _ name: String, _ type: String = "TEXT", input: String = "text", nullable: Bool = false, more: String = ""
  ) -> String {
    """
    {"name": "\(name)", "type": "\(type)", "input": "\(input)", "nullable": \(nullable), "isGenerated": false,
     "default": null\(more)}
    """
  }

  private var id: String { column("id", "INTEGER", input: "number") }

  @Test
  func `no two types have one name, whatever the resources are called`() throws {
    let names = [
      "classes", "newClasses", "classChanges", "classColumns", "newClassColumns", "problems", "kindreds",
      "9lives",
      "schemas", "records", "strings", "actions", "blobs", "iterables", "a-b", "aBs", "日本",
    ]
    let documents = names.map { name in
      "{\"name\": \"\(name)\", \"table\": \"t\", \"key\": [\"id\"], \"columns\": [\(id)], \"associations\": []}"
    }
    let schema = try ServerSchema(json: Array("{\"resources\": [\(documents.joined(separator: ","))]}".utf8))
    let typeScript = TypeScriptClient(schema).text.matches(
      of: /(?m)^(?:export )?(?:interface|type|class) (\S+)/
    )
    .map { String($0.1) }
    #expect(Set(typeScript).count == typeScript.count)
    let swift = SwiftRecords(schema).text.matches(of: /(?m)^struct (\w+)/).map { String($0.1) }
    #expect(Set(swift).count == names.count)
    #expect(!swift.contains("String"))
  }

  @Test(arguments: [
    ("m²", "M"), ("Ⓐ", "Record"), ("½", "Record"), ("anies", "AnyRecord"), ("größen", "Größen"),
    ("e\u{301}te\u{301}", "E\u{301}te\u{301}"), ("a·b", "A·b"),
  ])
  func `names have only characters of identifiers`(resource: String, type: String) throws {
    let schema = try schema((resource, "\(id),\(column("CodingKeys")),\(column("x²"))", ""))
    let swift = SwiftRecords(schema).text
    #expect(swift.contains("struct \(type): "), "\(swift)")
    #expect(swift.contains("  var x: String\n") && swift.contains("  var CodingKeys2: String\n"))
    if type != "AnyRecord" { #expect(TypeScriptClient(schema).text.contains("export interface \(type) {")) }
  }

  @Test
  func `an enumeration without labels has no values`() throws {
    let schema = try schema(
      ("things", "\(id),\(column("kind", "kind", input: "enum", more: ", \"values\": []"))", ""))
    #expect(TypeScriptClient(schema).text.contains("  kind: never;\n"))
  }

  @Test
  func `columns have the types of their values, and are null where they may be`() throws {
    let schema = try schema(
      (
        "things",
        [
          id, column("price", "REAL", input: "number", nullable: true),
          column("ok", "BOOLEAN", input: "boolean"), column("data", "BLOB", input: "bytes", nullable: true),
          column("meta", "JSON", input: "json"), column("any", "", input: "any"),
          column("kind", "kind", input: "enum", more: ", \"values\": [\"a\", \"b\\\"\"]"),
        ].joined(separator: ","), ""
      ))
    let typeScript = TypeScriptClient(schema).text
    for line in [
      "id: number;", "price: number | null;", "ok: boolean;", "data: string | null;", "meta: unknown;",
      "any: unknown;", #"kind: "a" | "b\"";"#,
    ] {
      #expect(typeScript.contains("  \(line)\n"), "\(line)")
    }
    let swift = SwiftRecords(schema).text
    for line in [
      "id: Int", "price: Double?", "ok: Bool", "data: Data?", "meta: String", "any: DatabaseValue",
      "kind: String",
    ] {
      #expect(swift.contains("  var \(line)\n"), "\(line)")
    }
  }

  @Test
  func `arrays and records in columns have the types of their parts in Python`() throws {
    let number = #"{"type": "integer", "input": "number"}"#
    let mood = #"{"type": "mood", "input": "enum", "values": ["sad", "ok"]}"#
    let amount = #"{"name": "amount", "type": "numeric", "input": "number", "decimal": true}"#
    let spot = #"{"name": "spot", "type": "spot", "input": "json", "parts": [\#(amount)]}"#
    let spots = #"{"type": "spot", "input": "json", "parts": [\#(amount), \#(spot)]}"#
    let schema = try schema(
      (
        "things",
        [
          id, column("ints", "integer[]", input: "array", more: ", \"parts\": [\(number)]"),
          column("moods", "mood[]", input: "array", nullable: true, more: ", \"parts\": [\(mood)]"),
          column("place", "spot", input: "json", nullable: true, more: ", \"parts\": [\(amount),\(spot)]"),
          column("places", "spot[]", input: "array", more: ", \"parts\": [\(spots)]"),
          column("any", "integer[]", input: "array"), column("meta", "jsonb", input: "json", nullable: true),
        ].joined(separator: ","), ""
      ))
    let python = PythonClient(schema).text
    for line in [
      #"    "ints": "list[int | None]","#, #"    "ints": "Sequence[int | None]","#,
      #"    "moods": "list[Literal[\"sad\", \"ok\"] | None] | None","#,
      #"    "place": "_Thing_Part_place | None","#, #"    "places": "list[_Thing_Part_places | None]","#,
      #"    "any": "list[Any]","#, #"    "meta": "Any","#,
      #"_Thing_Part_place_spot = TypedDict("_Thing_Part_place_spot", {"#,
      #"    "amount": "Decimal | None","#, #"    "spot": "_Thing_Part_places_spot | None","#,
      #"{"place": {"amount": True, "spot": {"amount": True}}, "places": {"amount": True, "spot": {"amount": True}}},"#,
      "_HAS_DECIMALS = True",
    ] {
      #expect(python.contains(line), "\(line)")
    }
  }

  @Test
  func `a computed column can be read and compared, but not written`() throws {
    let schema = try schema(
      (
        "things", [id, column("name"), column("label", more: ", \"computed\": true")].joined(separator: ","),
        ""
      ))
    let text = TypeScriptClient(schema).text
    #expect(text.contains("export interface Thing {\n  id: number;\n  name: string;\n}"))
    #expect(text.contains("export interface ThingColumns extends Thing {\n  label: string;\n}"))
    #expect(text.contains("record: ThingColumns;\n    plain: Thing;\n    all: Thing;"))
    #expect(text.contains("comparable: \"id\" | \"name\" | \"label\";"))
    #expect(text.contains("interface NewThingColumns {\n  id?: number | bigint;\n  name: string;\n}"))
    #expect(text.contains("export interface ThingChange {\n  id?: number | bigint;\n  name?: string;\n}"))
    #expect(!SwiftRecords(schema).text.contains("label"))
  }

  @Test
  func `a column that may only be written is there where records are written`() throws {
    let schema = try schema(("things", id, ", \"writeOnly\": [\(column("secret", nullable: true))]"))
    let text = TypeScriptClient(schema).text
    #expect(text.contains("export interface Thing {\n  id: number;\n}"))
    #expect(text.contains("  id?: number | bigint;\n  secret?: string | null;\n}"))
    #expect(PythonClient(schema).text.contains("    \"secret\": \"NotRequired[str | None]\",\n"))
  }

  @Test(arguments: [
    ("orderDetails", "order_details"), ("import", "import_"), ("HTTPLogs", "http_logs"), ("a b", "a_b"),
    ("batch", "batch_"), ("2nd", "resource_2nd"), ("__init__", "init"), ("日本", "日本"),
  ])
  func `an attribute of the Python client has the resource's name in snake case`(
    resource: String, attribute: String
  ) throws {
    let text = PythonClient(try schema((resource, id, ""))).text
    #expect(text.contains("    def \(attribute)(self) -> "), "\(attribute)")
    #expect(text.contains("    \"\(attribute)\": \"\(resource)\",\n"))
  }

  @Test
  func `actions whose names are one in snake case have different attributes in Python`() throws {
    let actions = ["placeOrder", "place_order", "import", "request"].map {
      #"{"name": "\#($0)", "parameters": [], "single": false, "columns": []}"#
    }
    let document = #"{"resources": [], "actions": [\#(actions.joined(separator: ","))]}"#
    let text = PythonClient(try ServerSchema(json: Array(document.utf8))).text
    for (attribute, name) in [
      ("place_order", "placeOrder"), ("place_order_", "place_order"), ("import_", "import"),
      ("request_", "request"),
    ] {
      #expect(text.contains("    \"\(attribute)\": (\"\(name)\", "), "\(attribute)")
    }
  }

  @Test
  func `the default selection is the type of a record, and other columns have to be named`() throws {
    let schema = try schema(
      (
        "things", [id, column("name"), column("note")].joined(separator: ","),
        ", \"fields\": [\"id\", \"name\"]"
      ))
    let text = TypeScriptClient(schema).text
    #expect(text.contains("export interface Thing {\n  id: number;\n  name: string;\n}"))
    #expect(text.contains("plain: Thing;\n    all: ThingColumns;"))
  }

  @Test
  func `parameters of a common table expression are members of its requests`() throws {
    let parameters = """
      , "parameters": [{"name": "since", "type": "text", "required": true, "default": null},
        {"name": "most", "type": "integer", "required": false, "default": 3}]
      """
    let text = TypeScriptClient(try schema(("sales", id, parameters))).text
    #expect(text.contains("parameters: { readonly since: string; readonly most?: number | undefined };"))
  }

  @Test
  func `integers of 64 bits and exact decimals are texts where that is wanted, others stay numbers`() throws {
    let schema = try schema(
      (
        "things",
        [
          id, column("small", "integer", input: "number", more: ", \"bits\": 32"),
          column("price", "numeric(10,2)", input: "number", nullable: true, more: ", \"decimal\": true"),
          column("rate", "REAL", input: "number"), column("ok", "BOOLEAN", input: "boolean"),
        ].joined(separator: ","), ""
      ))
    var options = TypeScriptClient.Options()
    options.hasIntegersAsText = true
    let text = TypeScriptClient(schema, options: options).text
    #expect(
      text.contains(
        """
        export interface Thing {
          id: string;
          small: number;
          price: string | null;
          rate: number;
          ok: boolean;
        }
        """))
    #expect(
      text.contains("  id?: string | number | bigint;\n") && text.contains("  small: number | bigint;\n"))
    #expect(text.contains("    integers: \"id\" | \"price\";\n"))
    #expect(text.contains("  things: { integers: [\"id\", \"price\"] },\n"))
    let numbers = TypeScriptClient(schema).text
    #expect(numbers.contains("    integers: never;\n") && !numbers.contains("integers: [\"id\""))
    let swift = SwiftRecords(schema).text
    for line in ["id: Int", "small: Int", "price: Decimal?", "rate: Double"] {
      #expect(swift.contains("  var \(line)\n"), "\(line)")
    }
  }

  @Test
  func `a hook of React comes with one import, and leaves the rest as it is`() throws {
    let schema = try schema(("things", id, ""))
    var options = TypeScriptClient.Options()
    options.hasReact = true
    let lines = Set(TypeScriptClient(schema, options: options).text.split(separator: "\n"))
    #expect(lines.filter { $0.hasPrefix("import ") } == [#"import { useEffect, useState } from "react";"#])
    #expect(lines.contains { $0.hasPrefix("export function useLive<") })
    #expect(TypeScriptClient(schema).text.split(separator: "\n").allSatisfy(lines.contains))
  }

  @Test
  func `what runs knows the names that must be quoted, and the keys that no path has by themselves`() throws {
    let document = """
      {"resources": [{"name": "things", "table": "things", "key": ["code"], "associations": [],
        "columns": [\(column("code")),\(column("a.b")),\(column("2nd")),\(column("photo", "BLOB", input: "bytes"))]}]}
      """
    let text = TypeScriptClient(try ServerSchema(json: Array(document.utf8))).text
    #expect(text.contains(#"  things: { key: "code", quoted: ["a.b", "2nd"], bytes: ["photo"] },"#))
    #expect(text.contains("    bytes: \"photo\";\n"))
  }

  @Test
  func `actions have their parameters, and the rows that they give`() throws {
    let document = """
      {"resources": [{"name": "things", "table": "things", "key": ["id"], "associations": [], "columns": [\(id)]}],
       "actions": [
        {"name": "placeOrder", "as": "things", "single": true, "columns": [{"name": "id", "type": "INTEGER"}],
         "parameters": [{"name": "n", "type": "integer", "required": true, "default": null}]},
        {"name": "report", "single": false, "columns": [{"name": "sum", "type": "REAL"}], "parameters": []},
        {"name": "purge", "single": false, "columns": [], "parameters": []}]}
      """
    let text = TypeScriptClient(try ServerSchema(json: Array(document.utf8))).text
    for line in [
      "    parameters: { readonly n: number | bigint | null };", "    gives: Schema[\"things\"];",
      "    rows: \"one\";", "    rows: \"many\";", "    rows: \"none\";",
      #"  placeOrder: { as: "things", gives: "any" },"#, #"  report: { gives: "many" },"#, "  purge: {  },",
    ] {
      #expect(text.contains("\(line)\n"), "\(line)")
    }
    #expect(text.contains("record: { sum: number | null };"))
  }

  @Test
  func `a client imports nothing and switches no check off`() throws {
    let text = TypeScriptClient(try schema(("things", id, ""))).text
    #expect(text.firstMatch(of: /(?m)^import |\bas any\b|: any\b|@ts-/) == nil)
    #expect(text == TypeScriptClient(try schema(("things", id, ""))).text)
  }

  @Test
  func `text of the database can't leave its place in the file`() throws {
    let name = #"*/ \" ` ${x} </script>"#
    let schema = try schema(
      ("things", "\(id),\(column(name, more: ", \"description\": \"*/ no\\nline\""))", ""))
    let text = TypeScriptClient(schema).text
    #expect(text.contains(#"  "*/ \" ` ${x} \u{3c}/script>": string;"#))
    #expect(!text.contains("*/ no") && !text.contains("\nline"))
  }

  @Test
  func `what isn't the schema of a server is refused`() {
    for text in ["", "[]", "{}", "{\"resources\": [{}]}"] {
      #expect(throws: ServerSchema.MalformedDocument.self) { try ServerSchema(json: Array(text.utf8)) }
    }
  }
}
