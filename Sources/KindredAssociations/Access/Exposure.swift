/// The records that expressions read, and whether evaluating the expressions could tell of them.
struct Exposure {
  /// Each once, in the order in which they are met.
  private(set) var records: [Scope] = []
  /// Whether some operation could fail, or take its time, because of what a record holds.
  var tells = false

  /// Nothing is read.
  init() {}

  /// These records are read, whatever else is.
  init(_ records: [Scope]) { self.records = records }

  mutating func add(_ record: Scope) {
    if !records.contains(where: { $0 === record }) { records.append(record) }
  }

  mutating func add(_ other: Exposure) {
    for record in other.records { add(record) }
    tells = tells || other.tells
  }
}

extension Planning {
  /// What `body` compiles, and what that exposes.
  func exposing<Result>(_ body: () throws -> Result) rethrows -> (result: Result, exposure: Exposure) {
    let outer = exposure
    exposure = Exposure()
    defer {
      let inner = exposure
      exposure = outer
      exposure.add(inner)
    }
    let result = try body()
    return (result, exposure)
  }

  /// Whether some records may be out of sight of the request, so that it matters what expressions expose.
  ///
  /// A rule reads what it needs.
  var restrictsRows: Bool { model.whole != nil && !isInRule }
}
