import Foundation
import KindredSQLite
import OrderedCollections
import TestSupport
import Testing

@testable import KindredAPI
@testable import KindredModel
@testable import KindredPlanning
@testable import KindredTools

@Suite("/-/diagram")
struct DiagramTests {
  @Test
  func `no two boxes overlap, however many tables there are and however they are related`() throws {
    var random = LinearCongruentialGenerator(state: 3)
    for count in [1, 2, 7, 30, 100] {
      let tables = (0..<count).map { number in
        let columns = (0..<Int.random(in: 0...9, using: &random)).map { column in
          "c\(column) INTEGER REFERENCES t\(Int.random(in: 0..<count, using: &random))(id)"
        }
        return "CREATE TABLE t\(number) (\((["id INTEGER PRIMARY KEY"] + columns).joined(separator: ", ")));"
      }
      let database = try TestDatabase(tables.joined())
      let model = try database.model
      let boxes = Array(DiagramLayout(Diagram(model)).boxes.values)
      #expect(boxes.count == count)
      for (index, box) in boxes.enumerated() {
        for other in boxes[(index + 1)...] {
          let isApart =
            box.right <= other.x || other.right <= box.x || box.bottom <= other.y || other.bottom <= box.y
          #expect(isApart, "\(box) and \(other)")
        }
      }
    }
  }

  @Test
  func `each column of a foreign key is a line between the columns' rows`() throws {
    let database = try TestDatabase(
      "CREATE TABLE a (x INTEGER, y INTEGER, PRIMARY KEY (x, y)); "
        + "CREATE TABLE b (id INTEGER PRIMARY KEY, p INTEGER, q INTEGER, FOREIGN KEY (p, q) REFERENCES a);")
    let svg = try database.get("/-/diagram.svg").text
    let line = try Regex(#"data-from="bs.q" data-to="as.y" d="M(\d+) (\d+)C[0-9 ]+ (\d+) (\d+)""#)
    let match = try #require(try line.firstMatch(in: svg))
    let numbers = (1...4).compactMap { match.output[$0].substring.flatMap { Int($0) } }
    let model = try database.model
    let boxes = DiagramLayout(Diagram(model)).boxes
    let (a, b) = (try #require(boxes["as"]), try #require(boxes["bs"]))
    #expect([b.x, b.right].contains(numbers[0]) && [a.x, a.right].contains(numbers[2]))
    #expect(
      numbers[1] > b.y + DiagramLayout.headerHeight + 2 * DiagramLayout.rowHeight && numbers[1] < b.bottom)
    #expect(numbers[3] > a.y + DiagramLayout.headerHeight + DiagramLayout.rowHeight && numbers[3] < a.bottom)
    #expect(svg.contains("data-from=\"bs.p\" data-to=\"as.x\""))
  }

  @Test
  func `around a table there are the tables that so many foreign keys separate from it`() throws {
    let database = try Library.database()
    func tables(_ query: String) throws -> Set<String> {
      Set(try database.get("/-/diagram.svg?\(query)").text.matches(of: /href="([^"]*)"/).map { String($0.1) })
    }
    #expect(try tables("around=tags&depth=0") == ["/tags"])
    #expect(try tables("around=tags") == ["/tags", "/bookTags"])
    #expect(try tables("around=tags&depth=2") == ["/tags", "/bookTags", "/books"])
    try expectProblem(
      "/-/diagram.svg?around=autors", on: database, status: 404, code: .unknownResource, parameter: "around",
      suggestion: "authors")
    try expectProblem(
      "/-/diagram.svg?around=tags&depth=x", on: database, code: .invalidValue, parameter: "depth")
    try expectProblem("/-/diagram.mmd?depth=1", on: database, code: .invalidValue, parameter: "depth")
  }

  @Test
  func `names with markup and control characters are text, in SVG as in Mermaid`() throws {
    let database = try TestDatabase(
      "CREATE TABLE \"<script>alert(1)</script>\" (\"a\"\"onload=x\" INTEGER PRIMARY KEY, \"]]>&\u{1}\" TEXT, \"%\n\" \"x<y\");"
    )
    let svg = try database.get("/-/diagram.svg")
    #expect(!svg.text.contains("<script") && !svg.text.contains("\"onload") && !svg.text.contains("\u{1}"))
    #expect(XMLCheck.isWellFormed(svg.text))
    let mermaid = try database.get("/-/diagram.mmd").text
    #expect(mermaid.split(separator: "\n").count == 6, "\(mermaid)")
  }

  @Test
  func `a name that isn't a word of Mermaid stands in the comment`() throws {
    let database = try TestDatabase(
      #"CREATE TABLE item (pk INTEGER PRIMARY KEY, Fk TEXT, "日本" TEXT, "unit price" REAL, "1st" INTEGER, "a-b" INTEGER);"#
    )
    let lines = try database.get("/-/diagram.mmd").text.split(separator: "\n").map {
      $0.drop { $0 == " " }
    }
    #expect(
      lines == [
        "erDiagram", "items {", #"INTEGER pk_ PK "pk""#, #"TEXT Fk_ "Fk""#, "TEXT 日本",
        #"REAL unit_price "unit price""#,
        #"INTEGER _1st "1st""#, "INTEGER a-b", "}",
      ])
  }

  @Test
  func `what is hidden is in no diagram, and leaves a line between the tables`() throws {
    let database = try TestDatabase(
      Library.schema, modelFile: "resources: { books: { hidden: [authorId, price] }, paintings: null }")
    for page in ["/-/diagram.svg", "/-/diagram.mmd", "/-/schema"] {
      let text = try database.get(page).text
      #expect(!text.contains("price") && !text.contains("painting"), "\(page)")
    }
    let svg = try database.get("/-/diagram.svg").text
    #expect(!svg.contains("books.authorId"))
    #expect(svg.contains("data-from=\"books\" data-to=\"authors\""))
  }
}

/// Returns whether the elements and attributes of a text are well-formed XML.
private enum XMLCheck {
  static func isWellFormed(_ text: String) -> Bool {
    var open: [Substring] = []
    var rest = text[...]
    while let start = rest.firstIndex(of: "<") {
      guard let end = rest[start...].firstIndex(of: ">") else { return false }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("/") {
        guard open.popLast() == tag.dropFirst() else { return false }
      } else if !tag.hasSuffix("/") {
        open.append(tag.prefix { $0 != " " })
      }
      guard tag.filter({ $0 == "\"" }).count.isMultiple(of: 2) else { return false }
    }
    return open.isEmpty
  }
}
