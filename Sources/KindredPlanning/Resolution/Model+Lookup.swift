import KindredModel

extension Model {
  /// - Throws: `RequestError` if there is no such resource for the author.
  func resource(named name: String, for author: ExpressionAuthor = .request) throws -> Resource {
    // The model's own expressions may read everything except invisible records.
    let resources = author == .request ? self.resources : unrestricted.resources
    guard let resource = resources[name] else {
      throw unknownResource(name)
    }
    return resource
  }

  /// Returns the table of a step, and the table as clients see it.
  func table(named name: String) throws -> (table: Table, resource: Resource) {
    guard let table = tables[name] else {
      throw RequestError(.unknownResource, "there is no table `\(name)`")
    }
    return (table, resource(of: table))
  }
}
