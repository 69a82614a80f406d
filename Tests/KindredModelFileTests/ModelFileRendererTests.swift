import KindredModel
import KindredPlanning
import KindredSQLiteBackend
import KindredSQLite
import OrderedCollections
import TestSupport
import Testing

@testable import KindredModelFile

@Suite struct ModelFileRendererTests {
  @Test
  func `an inferred model is written with every resource, its table and its associations`() throws {
    let text = try written(
      """
      CREATE TABLE "order" ("no" INTEGER PRIMARY KEY, buyer REFERENCES person, "1st seller" REFERENCES person, at);
      CREATE TABLE person (id INTEGER PRIMARY KEY, home REFERENCES nowhere);
      CREATE TABLE tag (id INTEGER PRIMARY KEY);
      CREATE TABLE tagging (tagId REFERENCES tag, orderNo REFERENCES "order", PRIMARY KEY (tagId, orderNo));
      CREATE VIEW "it's \\ ""all"" of it" AS SELECT 1 AS a;
      """
    ).text
    #expect(
      text == """
        # the foreign key of person on home is ignored: there is no table nowhere
        resources:
          orders:
            table: order
            associations:
              buyer: { belongsTo: people, foreignKey: { buyer: id } }
              "1stSeller": { belongsTo: people, foreignKey: { "1st seller": id } }
              taggings: { hasMany: taggings, foreignKey: { orderNo: "no" } }
              tags: { hasMany: tags, through: taggings, using: tag }
          people:
            table: person
            associations:
              ordersByBuyer: { hasMany: orders, foreignKey: { buyer: id } }
              ordersBy1stSeller: { hasMany: orders, foreignKey: { "1st seller": id } }
          tags:
            table: tag
            associations:
              taggings: { hasMany: taggings, foreignKey: { tagId: id } }
              orders: { hasMany: orders, through: taggings, using: order }
          taggings:
            table: tagging
            associations:
              tag: { belongsTo: tags, foreignKey: { tagId: id } }
              order: { belongsTo: orders, foreignKey: { orderNo: "no" } }
          itSAllOfIts:
            table: "it's \\\\ \\"all\\" of it"

        """)
  }

  @Test(arguments: [
    "",
    """
    CREATE TABLE person (id INTEGER PRIMARY KEY, friendId REFERENCES person, bestId UNIQUE REFERENCES person);
    CREATE TABLE friendship (a REFERENCES person, b REFERENCES person, PRIMARY KEY (a, b));
    CREATE TABLE people (id INTEGER PRIMARY KEY, person REFERENCES person);
    CREATE TABLE edition (isbn, printing, PRIMARY KEY (isbn, printing));
    CREATE TABLE loan (isbn, printing, FOREIGN KEY (isbn, printing) REFERENCES edition);
    """,
    """
    CREATE TABLE "null" ("true" INTEGER PRIMARY KEY, "~" REFERENCES "No");
    CREATE TABLE "No" ("3" INTEGER PRIMARY KEY, "a: b" REFERENCES "null", "# x" REFERENCES "null");
    CREATE TABLE "-" ("\u{85}" PRIMARY KEY, "tab\tand
    line" REFERENCES "-", "\u{200B}👍🏽\u{200D}é" REFERENCES "null");
    CREATE TABLE "{}[],&*!|>'%@`?" ("]" PRIMARY KEY, " lead" REFERENCES "No");
    """,
  ])
  func `read back, it changes nothing`(sql: String) throws {
    let (model, text, readBack) = try written(sql)
    #expect(readBack.details == model.details, "\(text)")
  }

  @Test
  func `of random schemas too, it changes nothing`() throws {
    var random = LinearCongruentialGenerator(state: 7)
    let names = [
      "author", "Author_", "book", "books", "person", "people", "sheep", "bookTag", "on", "id", "é ä",
    ]
    for _ in 0..<60 {
      let sql = names.prefix(Int.random(in: 1...names.count, using: &random)).map { name in
        let columns = ["authorId", "book", "people", "tag_id", "2nd", "null"].shuffled(using: &random)
          .prefix(Int.random(in: 1...5, using: &random))
        let declarations = columns.map { column in
          let unique = Bool.random(using: &random) ? "UNIQUE" : ""
          let target = names.randomElement(using: &random) ?? ""
          return "\"\(column)\" \(unique) \(Bool.random(using: &random) ? "REFERENCES \"\(target)\"" : "")"
        }
        let key = columns.prefix(Int.random(in: 1...2, using: &random)).map { "\"\($0)\"" }
        return
          "CREATE TABLE \"\(name)\" (\(declarations.joined(separator: ", ")), PRIMARY KEY (\(key.joined(separator: ", "))));"
      }.joined(separator: "\n")
      let (model, text, readBack) = try written(sql)
      #expect(readBack.details == model.details, "\(sql)\n\(text)")
    }
  }

  /// Returns the model of a database created by `sql`, its text, and the model parsed from that text.
  private func written(_ sql: String) throws -> (model: Model, text: String, readBack: Model) {
    let connection = try Connection(path: ":memory:", access: .readWriteCreate)
    try connection.execute(sql)
    let model = Model(inferredFrom: try SchemaReader(connection).schema())
    let text = ModelFileRenderer().text(of: model)
    return (
      model, text,
      try ModelFileParser(path: "written.yaml").parse(text).model(of: ConnectionSchema(connection))
    )
  }
}

extension Model {
  /// The whole model as text, one line for each resource and association.
  fileprivate var details: [String] {
    warnings
      + resources.flatMap { name, resource in
        ["\(name): \(resource)"].map { line in
          line.split(separator: "associations:").first.map(String.init) ?? line
        }
          + resource.associations.values.map { association in
            // Its origin isn't part of the model.
            var association = association
            association.definition = nil
            return "\(name).\(association)"
          }
      }
  }
}
