import KindredHTTP
import KindredModel
import KindredSQLite
import Testing

@testable import KindredAPI

@Suite("What is exported")
struct ExportedContentTests {
  @Test(arguments: ["application/json", "application/x-ndjson", "text/csv"])
  func `is imported, and the same again, from every table`(type: String) throws {
    let library = try Library.writable()
    let tables = try library.model.resources.values.filter { $0.table.kind == .table }
    #expect(tables.count > 8)
    for resource in tables {
      let target = "/\(resource.name)?limit=1000"
      let exported = try library.get(target, headers: ["Accept": type])
      #expect(exported.status == 200)
      let connection = try Connection(path: library.path, access: .readWrite)
      try connection.execute("PRAGMA foreign_keys = OFF; DELETE FROM \"\(resource.table.name)\"")
      guard try exported.text != library.get(target, headers: ["Accept": type]).text else { continue }
      let imported = try library.send(
        .post, "/\(resource.name)", exported.text, headers: ["Content-Type": type])
      #expect(imported.status == 201, "\(resource.name): \(imported.text)")
      #expect(
        try library.get(target, headers: ["Accept": type]).text == exported.text,
        "\(resource.name) as \(type)")
    }
  }
}
