import Foundation
import TestSupport
import Testing

@Suite("make install")
struct InstallationTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func make(_ arguments: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["make", "--silent"] + arguments
    process.currentDirectoryURL = TemporaryDirectory.migrations.deletingLastPathComponent()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  @Test
  func `copies what is built, to paths with spaces too, and uninstall removes it`() throws {
    // A small program instead of Kindred, which takes long to be stripped; it prints its arguments.
    try FileManager.default.copyItem(
      at: URL(filePath: "/bin/echo").resolvingSymlinksInPath(), to: directory.url.appending(path: "built"))
    let paths = [
      "KINDRED=\(directory.path("built"))", "DESTDIR=\(directory.path("an image"))", "PREFIX=/opt/my apps",
    ]
    #expect(try make("install", paths[0], paths[1], paths[2]) == 0)
    let prefix = directory.url.appending(path: "an image/opt/my apps")
    let program = prefix.appending(path: "bin/kindred").path
    #expect(FileManager.default.isExecutableFile(atPath: program))
    let migrations = try FileManager.default.contentsOfDirectory(
      atPath: prefix.appending(path: "share/kindred/Migrations").path)
    #expect(
      try migrations.sorted()
        == FileManager.default.contentsOfDirectory(atPath: TemporaryDirectory.migrations.path).sorted())
    for (file, content) in [
      ("man/man1/kindred.1", "manual"), ("bash-completion/completions/kindred", "completions bash"),
      ("zsh/site-functions/_kindred", "completions zsh"),
      ("fish/vendor_completions.d/kindred.fish", "completions fish"),
    ] {
      let installed = try String(contentsOf: prefix.appending(path: "share/\(file)"), encoding: .utf8)
      #expect(installed == content + "\n")
    }
    #expect(try make("uninstall", paths[0], paths[1], paths[2]) == 0)
    #expect(!FileManager.default.fileExists(atPath: program))
    let rest = try FileManager.default.subpathsOfDirectory(atPath: prefix.appending(path: "share").path)
    #expect(rest.allSatisfy { !$0.contains("kindred") }, "\(rest)")
  }

  @Test
  func `builds nothing`() throws {
    let paths = ["KINDRED=\(directory.path("missing"))", "DESTDIR=\(directory.path("image"))"]
    #expect(try make("install", paths[0], paths[1]) != 0)
    #expect(!FileManager.default.fileExists(atPath: directory.path("image")))
  }
}
