import KindredModel

/// A record of a request, with the place of its node in the tree that a URL describes.
final class RequestPlace {
  /// How the record is reached from the one above.
  enum Step: Equatable {
    /// It is the record of the root, or one of many.
    case many
    /// It is the one record of a key.
    case one(key: String)
    /// It is the row of the join table by which the record above is reached.
    case via
  }

  let resource: Resource
  let above: RequestPlace?
  let step: Step
  /// The names that are taken in the object that shows the record.
  let names: MemberNames
  /// The node of the program's request.
  let node: RequestNode
  /// The key of the node in the URL.
  let key: String
  /// The association that leads here in the server's model; nil at the root.
  let association: Association?
  /// The nodes in the URL that lead here from the one above, where the server has no single association.
  var hops: [RequestPlace] = []
  /// The row of the join table by which the record is reached.
  var via: RequestPlace?
  /// The places of the node's children.
  var children: [RequestPlace] = []
  /// The items of the selection with their names in the URL.
  var fields: [NamedExpression] = []
  /// The items that are selected in addition.
  var annotations: [NamedExpression] = []
  /// The name of a column of the join table that is selected so that each way to a record counts; nil if none is.
  var wayName: String?

  init(
    _ node: RequestNode, key: String = "", resource: Resource, above: RequestPlace?, step: Step,
    association: Association? = nil, names: MemberNames
  ) {
    self.node = node
    self.key = key
    self.resource = resource
    self.above = above
    self.step = step
    self.association = association
    self.names = names
  }

  /// Returns the path from this record to another.
  ///
  /// - Throws: `RemoteError` if the other is one of a collection that this one isn't in.
  func path(to other: RequestPlace) throws -> (parents: Int, keys: [String]) {
    var (start, parents) = (self, 0)
    while true {
      if let keys = try start.keys(downTo: other) { return (parents, keys) }
      guard let above = start.above else {
        throw RemoteError.notExpressible(
          "a TableAlias of a record that is not above or beside the expression")
      }
      (start, parents) = (above, parents + 1)
    }
  }

  /// Returns the keys that lead down to a record; nil if it isn't below this one.
  private func keys(downTo other: RequestPlace) throws -> [String]? {
    var (keys, place) = ([String](), other)
    while place !== self {
      guard let above = place.above else { return nil }
      switch place.step {
      case .one(let key): keys.insert(key, at: 0)
      case .via: keys.insert("via", at: 0)
      case .many: return nil
      }
      place = above
    }
    return keys
  }
}

/// The names that the members of one object have, all different.
final class MemberNames {
  private var taken: Set<String> = []

  /// Returns a name that is free, and takes it.
  ///
  /// - Parameters:
  ///   - wanted: The names to try, before others are made of the last.
  ///   - isAllowed: Whether a name can be taken.
  func take(_ wanted: [String], where isAllowed: (String) -> Bool = { _ in true }) -> String {
    var number = 1
    while true {
      let candidates = number == 1 ? wanted : wanted.suffix(1).map { "\($0)\(number)" }
      for name in candidates
      where !name.isEmpty && isAllowed(name) && taken.insert(name.foldingASCIICase).inserted { return name }
      number += 1
    }
  }
}
