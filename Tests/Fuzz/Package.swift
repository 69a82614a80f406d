// swift-tools-version: 6.2
import PackageDescription

// A separate package, because its programs are linked with libFuzzer by `--sanitize fuzzer`; see `run`.
let package = Package(
  name: "fuzz",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "kindred", path: "../.."),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .target(
      name: "FuzzSupport",
      dependencies: [
        .product(name: "KindredModules", package: "kindred"), .product(name: "Logging", package: "swift-log"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ])
  ],
  swiftLanguageModes: [.v6]
)

for name in [
  "FuzzHTTP", "FuzzURL", "FuzzTools", "FuzzWrite", "FuzzExpression", "FuzzModel", "FuzzToken", "FuzzKeys",
] {
  package.targets.append(
    .executableTarget(
      name: name, dependencies: ["FuzzSupport", .product(name: "KindredModules", package: "kindred")]))
}

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
  ]
}
