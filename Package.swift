// swift-tools-version: 6.2
import PackageDescription

/// The commit, which `make release` names.
let commit = Context.environment["KINDRED_COMMIT"] ?? ""

/// The condition of what only the server needs, which a program that asks for no traits doesn't resolve.
let server = TargetDependencyCondition.when(traits: ["Server"])
let logging = Target.Dependency.product(name: "Logging", package: "swift-log", condition: server)
let arguments = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser", condition: server)
let yaml = Target.Dependency.product(name: "Yams", package: "Yams", condition: server)

/// What the tests of the library need, where each request that is fetched from a file is fetched from a server, too.
let bothSides: [Target.Dependency] = [
  "Kindred", "KindredRemote", "KindredAPI", "KindredRequests", "KindredHTTP", "KindredModel",
  "KindredPlanning",
  "KindredSQLiteBackend", "KindredSQLite", "KindredSQLSyntax", "CKindredSQLite",
  logging,
]

let package = Package(
  name: "kindred",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Kindred", targets: ["Kindred"]),
    // Apart from the library, which needs no network.
    .library(name: "KindredRemote", targets: ["KindredRemote"]),
    .executable(name: "kindred", targets: ["KindredCommand"]),
    // The modules one by one, for the oracle, the fuzzers and the benchmarks, which are packages of their own.
    .library(
      name: "KindredModules",
      targets: [
        "KindredAPI", "KindredRequests", "KindredTools", "KindredExplorer", "KindredHTTP", "KindredSpooling",
        "KindredBackend", "KindredOutput", "KindredSQLiteBackend",
        "KindredMigrations", "KindredSQLite", "KindredModel", "KindredPlanning", "KindredModelFile",
        "KindredSQLSyntax", "KindredCryptography", "KindredClock",
      ]),
  ],
  traits: [
    .default(enabledTraits: ["Server"]),
    .trait(name: "Server", description: "The server and its command, with the packages that they need."),
  ],
  dependencies: [
    // Ranges, because a program resolves them together with its own; what is built and tested here is in
    // Package.resolved.
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // The gates to C.
    .target(name: "CKindredSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(
      name: "CKindredOpenSSL",
      linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .target(name: "CKindredZlib", linkerSettings: [.linkedLibrary("z")]),
    .target(name: "CKindredSockets"),
    // Finds libpq when the program runs: there is nothing to link.
    .target(name: "CKindredPostgreSQL"),
    // What the program knows of its build.
    .target(name: "CKindredBuild", cSettings: [.define("KINDRED_COMMIT", to: "\"\(commit)\"")]),
    // The explorer's files, embedded in the program.
    .target(name: "CKindredExplorer", exclude: ["assets"]),
    // The TypeScript client, embedded in the program.
    .target(name: "CKindredClients", exclude: ["assets"]),

    // The platform's C library.
    .target(name: "KindredSystem"),
    // The clock that deadlines are told by.
    .target(name: "KindredClock", dependencies: ["KindredSystem"]),
    // Slots granted in the order of requests, for the pools of connections.
    .target(name: "KindredPooling"),
    // Digests, signatures and random bytes, by OpenSSL.
    .target(name: "KindredCryptography", dependencies: ["CKindredOpenSSL"]),

    // The engine.
    .target(name: "KindredSQLSyntax"),
    // Tables, associations and requests, without SQL.
    .target(
      name: "KindredModel",
      dependencies: [
        "KindredSQLSyntax", .product(name: "OrderedCollections", package: "swift-collections"),
      ]),
    // Requests to plans, for any dialect.
    .target(
      name: "KindredPlanning",
      dependencies: [
        "KindredSQLSyntax", "KindredModel",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),
    // The dialects, each with the strategy of its database.
    .target(
      name: "KindredSQLiteDialect", dependencies: ["KindredSQLSyntax", "KindredModel", "KindredPlanning"]),
    .target(
      name: "KindredPostgreSQLDialect", dependencies: ["KindredSQLSyntax", "KindredModel", "KindredPlanning"]),
    // Results on their way out: programs, buffers.
    .target(name: "KindredOutput", dependencies: ["KindredSQLSyntax", "KindredModel", "KindredPlanning"]),
    // What a database is to those above.
    .target(
      name: "KindredBackend",
      dependencies: ["KindredSQLSyntax", "KindredModel", "KindredPlanning", "KindredOutput"]),
    .target(
      name: "KindredSQLite",
      dependencies: ["KindredSystem", "KindredSQLSyntax", "KindredClock", "KindredPooling", "CKindredSQLite"]),
    .target(
      name: "KindredSQLiteBackend",
      dependencies: [
        "KindredSystem",
        "KindredSQLSyntax", "KindredModel", "KindredPlanning", "KindredSQLiteDialect", "KindredOutput",
        "KindredBackend", "KindredSQLite", "KindredClock", "CKindredSQLite",
      ]),
    .target(
      name: "KindredPostgreSQL",
      dependencies: [
        "KindredSystem", "KindredSQLSyntax", "KindredClock", "KindredPooling", "CKindredPostgreSQL",
      ]),
    .target(
      name: "KindredPostgreSQLBackend",
      dependencies: [
        "KindredSystem",
        "KindredSQLSyntax", "KindredModel", "KindredPlanning", "KindredPostgreSQLDialect", "KindredOutput",
        "KindredBackend", "KindredPostgreSQL", "KindredClock",
      ]),

    // The typed Swift API over the same engine.
    .target(
      name: "Kindred",
      dependencies: [
        "KindredSQLSyntax", "KindredModel", "KindredPlanning", "KindredSQLiteDialect", "KindredOutput",
        "KindredSQLite", "KindredSQLiteBackend", "KindredClock", "CKindredSQLite",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),

    // The same API for a database on a server.
    .target(
      name: "KindredRemote",
      dependencies: ["Kindred", "KindredModel", "KindredPlanning", "KindredSQLSyntax", "KindredSpooling"]),

    // The server.
    .target(
      name: "KindredMigrations",
      dependencies: [
        "KindredSystem", "KindredSQLSyntax", "KindredSQLite", "KindredPostgreSQL", "KindredCryptography",
      ]),
    // Temporary files, with a budget for each client.
    .target(name: "KindredSpooling", dependencies: ["KindredSystem", "CKindredSockets"]),
    .target(
      name: "KindredHTTP",
      dependencies: [
        "KindredSystem", "KindredSpooling",
        "CKindredSockets", "CKindredOpenSSL", "CKindredZlib", "KindredClock",
        logging,
      ]),
    // Fetches small documents over HTTP.
    .target(
      name: "KindredHTTPClient",
      dependencies: ["KindredSystem", "CKindredSockets", "CKindredOpenSSL", "KindredHTTP"]),
    // YAML with its lines: model files and configuration files.
    .target(name: "KindredYAML", dependencies: ["KindredSystem", yaml]),
    .target(
      name: "KindredModelFile",
      dependencies: [
        "KindredYAML", "KindredModel", "KindredPlanning",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),
    // Requests from URLs and contents to values, and the forms of answers.
    .target(
      name: "KindredRequests",
      dependencies: [
        "KindredHTTP", "KindredBackend", "KindredOutput", "KindredModel", "KindredPlanning",
        "KindredSQLSyntax", "KindredCryptography", "CKindredZlib",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),
    // What is told of a model: completion, descriptions, diagrams, OpenAPI; the messages of MCP.
    .target(
      name: "KindredTools",
      dependencies: [
        "KindredHTTP", "KindredRequests", "KindredOutput", "KindredModel", "KindredPlanning",
        "KindredSQLSyntax",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),
    // The pages of the explorer, and its embedded files.
    .target(
      name: "KindredExplorer",
      dependencies: [
        "CKindredExplorer", "KindredHTTP", "KindredRequests", "KindredTools", "KindredOutput",
        "KindredModel", "KindredPlanning", "KindredSQLSyntax",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),
    .target(
      name: "KindredAPI",
      dependencies: [
        "KindredSystem", "KindredSpooling", "KindredHTTP", "KindredRequests",
        "KindredTools", "KindredExplorer", "KindredBackend", "KindredOutput", "KindredModel",
        "KindredPlanning",
        "KindredSQLSyntax", "KindredClock", "KindredCryptography",
        logging,
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),
    // Clients of a server in other languages.
    .target(name: "KindredClients", dependencies: ["CKindredClients", "KindredModel", "KindredPlanning"]),
    .executableTarget(
      name: "KindredCommand",
      dependencies: [
        "CKindredBuild",
        "KindredAPI", "KindredRequests", "KindredTools", "KindredClients", "KindredSpooling", "KindredHTTP",
        "KindredHTTPClient", "KindredMigrations", "KindredSQLite", "KindredModel", "KindredPlanning",
        "KindredSQLiteDialect", "KindredSQLiteBackend",
        "KindredPostgreSQL",
        "KindredPostgreSQLBackend", "KindredBackend", "KindredOutput", "KindredClock", "KindredModelFile",
        "KindredYAML",
        "KindredSQLSyntax", "KindredCryptography",
        arguments,
        logging,
      ]),

    .testTarget(
      name: "KindredModelTests",
      dependencies: ["KindredModel", .product(name: "OrderedCollections", package: "swift-collections")]),
    .testTarget(
      name: "KindredPlanningTests",
      dependencies: [
        "KindredModel", "KindredPlanning", "KindredSQLiteDialect", "KindredPostgreSQLDialect",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),
    .testTarget(
      name: "KindredPostgreSQLTests",
      dependencies: [
        "KindredAPI", "KindredRequests", "KindredHTTP", "KindredBackend", "KindredPostgreSQL",
        "KindredPostgreSQLBackend", "KindredMigrations",
        "KindredModel", "KindredPlanning", "KindredSQLSyntax", "KindredClock", "KindredSQLite",
        "KindredSQLiteBackend", "KindredModelFile", "TestSupport",
        logging,
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),
    // What the tests of several targets need.
    .target(name: "TestSupport", dependencies: ["KindredSQLite", "KindredSQLSyntax"], path: "Tests/Support"),
    .testTarget(name: "KindredClientsTests", dependencies: ["KindredClients"]),
    .testTarget(name: "KindredSQLSyntaxTests", dependencies: ["KindredSQLSyntax"]),
    // The modules of a few files.
    .testTarget(
      name: "SmallModulesTests",
      dependencies: [
        "KindredBackend", "KindredClock", "KindredCryptography", "KindredOutput", "KindredPooling",
        "KindredYAML", "KindredModel", "KindredPlanning", "KindredSQLiteDialect", "KindredSQLSyntax",
      ]),
    .testTarget(
      name: "KindredSQLiteTests",
      dependencies: ["KindredSQLite", "KindredSQLSyntax", "KindredClock", "TestSupport"]),
    .testTarget(
      name: "KindredMigrationsTests",
      dependencies: [
        "KindredMigrations", "KindredCryptography", "KindredSQLite", "KindredSQLSyntax", "TestSupport",
      ]),
    .testTarget(
      name: "KindredModelFileTests",
      dependencies: [
        "KindredModelFile", "KindredModel", "KindredPlanning", "KindredSQLiteBackend", "KindredSQLite",
        "TestSupport",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),
    .testTarget(
      name: "KindredSQLiteBackendTests",
      dependencies: [
        "KindredSQLiteBackend", "KindredOutput", "KindredModel", "KindredPlanning", "KindredSQLite",
        "KindredSQLSyntax",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),
    .testTarget(
      name: "KindredTests", dependencies: bothSides,
      exclude: ["Documents", "Guide"]),
    // What the documents declare has the same names in each of their samples.
    .testTarget(
      name: "KindredDocumentsTests", dependencies: bothSides, path: "Tests/KindredTests/Documents"),
    // The samples of the guide, of the README, and of nothing else.
    .testTarget(name: "KindredGuideTests", dependencies: bothSides, path: "Tests/KindredTests/Guide"),
    .testTarget(
      name: "KindredRemoteTests",
      dependencies: bothSides + ["KindredClients", "KindredModelFile", "TestSupport"]),
    .testTarget(name: "ArchitectureTests"),
    .testTarget(
      name: "KindredCommandTests",
      dependencies: [
        "KindredCommand", "KindredSQLite", "TestSupport",
        arguments,
      ]),
    .testTarget(
      name: "KindredHTTPTests",
      dependencies: [
        "KindredSpooling", "KindredHTTP", "KindredHTTPClient", "CKindredOpenSSL",
        logging,
      ]),
    .testTarget(
      name: "KindredAPITests",
      dependencies: [
        "KindredAPI", "KindredRequests", "KindredTools", "KindredExplorer", "KindredSpooling", "KindredModel",
        "KindredPlanning", "KindredSQLiteDialect", "KindredPostgreSQLDialect", "KindredBackend",
        "KindredOutput", "KindredSQLiteBackend",
        "KindredModelFile", "KindredMigrations", "KindredSQLite", "KindredClock", "KindredCryptography",
        "TestSupport", .product(name: "OrderedCollections", package: "swift-collections"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// The same strictness for every target of ours; C has no such settings. The samples of the documents are compiled
// as in a program that asks for nothing but Swift 6.
for target in package.targets where !target.name.hasPrefix("C") && target.name != "KindredDocumentsTests" {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
  ]
}
