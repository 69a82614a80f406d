/// The layers of the design: what each module stands on.
///
/// A Swift module may also import what those stand on. A gate to C is open to those alone that name it.
enum Architecture {
  struct Module {
    var name: String
    /// Modules of this package.
    var uses: [String] = []
    /// Modules of the gates to C.
    var gates: [String] = []
    /// External modules, in addition to the ones that every module may import.
    var libraries: [String] = []
  }

  static let modules = [
    Module(name: "CKindredSQLite"), Module(name: "CKindredOpenSSL"), Module(name: "CKindredZlib"),
    Module(name: "CKindredSockets"), Module(name: "CKindredExplorer"),
    Module(name: "CKindredClients"), Module(name: "CKindredBuild"),
    Module(name: "CKindredPostgreSQL"),
    Module(name: "KindredCryptography", gates: ["CKindredOpenSSL"]),
    // The only importer of the platform's C library.
    Module(name: "KindredSystem", libraries: ["Glibc", "Musl", "Darwin"]),
    Module(name: "KindredClock"),
    Module(name: "KindredPooling"),
    Module(name: "KindredSQLSyntax"),
    // The engine is pure: neither Foundation nor anything else that does input or output.
    Module(name: "KindredModel", uses: ["KindredSQLSyntax"], libraries: ["OrderedCollections"]),
    // The phases of planning, each with a folder: Resolution (names, without SQL), Selects and Tree (values), Plan (what
    // runs).
    Module(name: "KindredPlanning", uses: ["KindredModel"], libraries: ["OrderedCollections"]),
    Module(name: "KindredSQLiteDialect", uses: ["KindredPlanning"]),
    Module(name: "KindredPostgreSQLDialect", uses: ["KindredPlanning"]),
    Module(name: "KindredOutput", uses: ["KindredPlanning"], libraries: ["OrderedCollections"]),
    // Protocols and values, which each database fills.
    Module(name: "KindredBackend", uses: ["KindredOutput"]),
    Module(
      name: "KindredSQLite", uses: ["KindredSQLSyntax", "KindredClock", "KindredPooling"],
      gates: ["CKindredSQLite"],
      libraries: ["Dispatch"]),
    Module(
      name: "KindredPostgreSQL", uses: ["KindredSQLSyntax", "KindredClock", "KindredPooling"],
      gates: ["CKindredPostgreSQL"],
      libraries: ["Dispatch"]),
    Module(
      name: "KindredPostgreSQLBackend",
      uses: ["KindredBackend", "KindredPostgreSQL", "KindredPostgreSQLDialect"],
      libraries: ["Dispatch"]),
    // Columns are written from SQLite's memory without a detour.
    Module(
      name: "KindredSQLiteBackend", uses: ["KindredBackend", "KindredSQLite", "KindredSQLiteDialect"],
      gates: ["CKindredSQLite"],
      libraries: ["OrderedCollections"]),
    // The typed Swift API. Values are read from SQLite's memory into Swift's.
    Module(
      name: "Kindred", uses: ["KindredSQLiteBackend"], gates: ["CKindredSQLite"],
      libraries: ["Dispatch", "Foundation", "OrderedCollections"]),
    // Long contents in temporary files, for servers and their clients.
    Module(name: "KindredSpooling", gates: ["CKindredSockets"]),
    // The only module that sends requests by Foundation.
    Module(
      name: "KindredRemote", uses: ["Kindred", "KindredSpooling"],
      libraries: ["Foundation", "FoundationNetworking"]),
    Module(
      name: "KindredMigrations", uses: ["KindredSQLite", "KindredPostgreSQL", "KindredCryptography"]),
    Module(
      name: "KindredHTTP", uses: ["KindredClock", "KindredSpooling"],
      gates: ["CKindredSockets", "CKindredOpenSSL", "CKindredZlib"],
      libraries: ["Dispatch", "Logging"]),
    // Apart from the server, over the same transports.
    Module(
      name: "KindredHTTPClient", uses: ["KindredHTTP"], gates: ["CKindredSockets", "CKindredOpenSSL"]),
    // The one importer of Yams.
    Module(name: "KindredYAML", libraries: ["Yams"]),
    Module(
      name: "KindredModelFile", uses: ["KindredPlanning", "KindredYAML"],
      libraries: ["Foundation", "OrderedCollections"]),
    // Requests as values, and the forms of answers. Nothing in it holds a connection.
    Module(
      name: "KindredRequests",
      uses: ["KindredHTTP", "KindredBackend", "KindredCryptography"], gates: ["CKindredZlib"],
      libraries: ["OrderedCollections"]),
    // Pure: documents of a model and of requests.
    Module(name: "KindredTools", uses: ["KindredRequests"], libraries: ["OrderedCollections"]),
    Module(
      name: "KindredExplorer", uses: ["KindredTools"], gates: ["CKindredExplorer"],
      libraries: ["OrderedCollections"]),
    Module(
      name: "KindredAPI", uses: ["KindredExplorer"],
      libraries: ["Dispatch", "Foundation", "Logging", "OrderedCollections"]),
    Module(
      name: "KindredClients", uses: ["KindredPlanning"], gates: ["CKindredClients"],
      libraries: ["Foundation"]),
    Module(
      name: "KindredCommand",
      uses: [
        "KindredAPI", "KindredClients", "KindredHTTPClient", "KindredSQLiteBackend",
        "KindredPostgreSQLBackend",
        "KindredMigrations",
        "KindredModelFile",
      ],
      gates: ["CKindredBuild"],
      libraries: ["ArgumentParser", "Dispatch", "Foundation", "Logging"]),
  ]

  /// The standard library and the system.
  private static let common: Set = ["Swift", "Synchronization", "KindredSystem"]

  /// Everything that a module may import; nil where the table doesn't have it.
  static func importable(from name: String) -> Set<String>? {
    guard let module = modules.first(where: { $0.name == name }) else { return nil }
    return common.union(module.libraries).union(module.gates).union(below(module))
  }

  /// The modules that a module stands on, at whatever depth.
  private static func below(_ module: Module) -> Set<String> {
    modules.filter { module.uses.contains($0.name) }.reduce(into: []) { names, lower in
      names.insert(lower.name)
      names.formUnion(below(lower))
    }
  }
}
