// swift-tools-version: 6.2
import PackageDescription

// Apart from the project's own package, so that nobody who builds Kindred builds a peer.
let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "kindred", path: ".."),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", exact: "2.28.1"),
    .package(url: "https://github.com/groue/GRDB.swift.git", exact: "7.10.0"),
  ],
  targets: [
    // The same answers by GRDB and Hummingbird, as somebody who knows them well would write it.
    .executableTarget(
      name: "Peer",
      dependencies: [
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    // The floor: SQLite's C functions and a buffer.
    .target(
      name: "CFloor", cSettings: [.unsafeFlags(["-O2"])], linkerSettings: [.linkedLibrary("sqlite3")]),
    // Kindred's hot parts in one process with the floor.
    .executableTarget(
      name: "HotPath",
      dependencies: ["CFloor", .product(name: "KindredModules", package: "kindred")]),
    // The same fetches by Kindred's Swift API and by GRDB: one source, compiled with either.
    .target(name: "KindredSide", dependencies: [.product(name: "Kindred", package: "kindred")]),
    .target(name: "GRDBSide", dependencies: [.product(name: "GRDB", package: "GRDB.swift")]),
    .executableTarget(name: "SideBySide", dependencies: ["KindredSide", "GRDBSide"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.name != "CFloor" {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
for target in package.targets where target.name == "GRDBSide" {
  target.swiftSettings?.append(.define("GRDB_SIDE"))
}
