// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that Kindred itself does not depend on GRDB.
let package = Package(
  name: "oracle",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "oracle", targets: ["OracleCommand"])
  ],
  dependencies: [
    .package(name: "kindred", path: "../.."),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .target(name: "OracleValues"),

    // Random requests of Kindred's Swift API, and their correct results.
    .target(name: "TypedRequests", dependencies: ["OracleValues"]),
    // The requests built with each library, from one source to which TypedGRDB has links.
    .target(
      name: "TypedKindred",
      dependencies: [
        "TypedRequests", "OracleValues", .product(name: "Kindred", package: "kindred"),
        .product(name: "KindredModules", package: "kindred"),
      ]),
    .target(
      name: "TypedGRDB",
      dependencies: ["TypedRequests", "OracleValues", .product(name: "GRDB", package: "GRDB.swift")]),

    .target(
      name: "Oracle",
      dependencies: [
        "OracleValues", "TypedRequests", "TypedKindred", "TypedGRDB",
        .product(name: "KindredModules", package: "kindred"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),
    .executableTarget(
      name: "OracleCommand",
      dependencies: ["Oracle", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
    .testTarget(name: "OracleTests", dependencies: ["Oracle", "OracleValues"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
  ]
}
for target in package.targets where target.name == "TypedGRDB" {
  target.swiftSettings?.append(.define("GRDB_SIDE"))
}
