import ArgumentParser
import TestSupport
import Testing

@testable import KindredCommand

@Suite("Settings")
struct SettingTests {
  private let settings = Setting.all(of: ServeCommand())

  @Test
  func `the names follow from that of the property`() throws {
    let setting = try #require(settings.first { $0.name == "maxBodySize" })
    #expect(setting.flag == "--max-body-size")
    #expect(setting.environmentVariable == "KINDRED_MAX_BODY_SIZE")
    #expect(setting.key == "maxBodySize")
  }

  @Test
  func `a section is the beginning of a name`() throws {
    let setting = try #require(settings.first { $0.name == "tlsCertificate" })
    #expect(setting.key == "tls.certificate")
    #expect(setting.environmentVariable == "KINDRED_TLS_CERTIFICATE")
  }

  @Test
  func `what a command is asked for in this one run is no setting`() {
    #expect(!Setting.all(of: QueryCommand()).contains { $0.name == "explain" })
  }

  /// The commands with settings, with the arguments that each requires.
  private let commands: [(arguments: [String], settings: [Setting])] = [
    (["serve", "x.db"], Setting.all(of: ServeCommand())),
    (["query", "x.db", "/"], Setting.all(of: QueryCommand())),
    (["import", "x.db", "r", "f.csv"], Setting.all(of: ImportCommand())),
    (["model", "x.db"], Setting.all(of: ModelCommand())),
    (["migrate", "x.db"], Setting.all(of: MigrateCommand())),
  ]

  @Test
  func `an empty value is refused in an option and in the file, and is none in the environment`() throws {
    let directory = try TemporaryDirectory()
    for (arguments, settings) in commands {
      #expect(settings.count > 0)
      for setting in settings {
        for option in [[setting.flag + "="], [setting.flag, ""]] where setting.takesValue {
          let line = ["kindred", arguments[0]] + option + arguments.dropFirst()
          let invocation = try Invocation(commandLine: line, environment: Environment(variables: [:]))
          let error = #expect(throws: ValidationError.self) { try invocation.command() }
          #expect(error?.message.hasPrefix("\(setting.flag): the value is empty") == true)
        }
        let environment = Environment(variables: [setting.environmentVariable: ""])
        let mistakes = Mistakes()
        #expect(environment.arguments(for: settings, mistakes).isEmpty)
        #expect(mistakes.all.isEmpty)
        let file = try ConfigurationFile(
          path: try directory.write("\(setting.key): ''\n", to: "kindred.yaml"), mistakes)
        #expect(file.arguments(for: settings, among: settings, mistakes).isEmpty)
        let error = try #require(mistakes.all.first as? ConfigurationError)
        #expect(error.message.hasPrefix("\(setting.key): "))
      }
    }
  }

  @Test
  func `the variables that Kubernetes sets for a service are neither settings nor warnings`() throws {
    let variables = [
      "KINDRED_SERVICE_HOST": "10.0.0.1", "KINDRED_SERVICE_PORT": "80", "KINDRED_SERVICE_PORT_HTTP": "80",
      "KINDRED_PORT": "tcp://10.0.0.1:80", "KINDRED_PORT_80_TCP": "tcp://10.0.0.1:80",
      "KINDRED_PORT_80_TCP_PROTO": "tcp", "KINDRED_PORT_80_TCP_PORT": "80",
      "KINDRED_PORT_80_TCP_ADDR": "10.0.0.1",
    ]
    let mistakes = Mistakes()
    #expect(Environment(variables: variables).arguments(for: settings, mistakes).isEmpty)
    #expect(mistakes.all.isEmpty)
    #expect(Environment(variables: variables).warnings(settings).isEmpty)
    #expect(
      Environment(variables: ["KINDRED_PROT": "1", "KINDRED_PORT": "80"]).warnings(settings)
        == ["KINDRED_PROT is not a setting; did you mean `KINDRED_PORT`?"])
  }

  /// What the root command makes of arguments: the type of the command, or the text of the error.
  private static func outcome(_ command: () throws -> any ParsableCommand) -> String {
    do {
      return "\(type(of: try command()))"
    } catch {
      return Kindred.fullMessage(for: error)
    }
  }

  @Test(arguments: [
    ["serve"], ["serve", "x.db", "--port=0", "--no-log-requests"], ["model", "x.db"], ["serve", "--help"],
    ["serve", "-h"], ["serve", "--version"], ["serve", "--frobnicate"], ["serve", "a.db", "b.db"],
    ["serve", "--generate-completion-script", "bash"], ["query", "x.db"], ["help", "serve"], ["help"],
    ["--version"], [],
  ])
  func `the arguments of a command mean what they mean to the root command`(arguments: [String]) throws {
    let invocation = try Invocation(
      commandLine: ["kindred"] + arguments, environment: Environment(variables: [:]))
    #expect(Self.outcome(invocation.command) == Self.outcome { try Kindred.parseAsRoot(arguments) })
  }

  @Test
  func `a start without a command line is an error`() {
    let error = #expect(throws: CommandError.self) {
      try Invocation(commandLine: [], environment: Environment(variables: [:]))
    }
    #expect(error?.description.contains("/proc") == true)
  }

  @Test
  func `the flag is the one that the parser knows`() {
    let help = ServeCommand.helpMessage()
    for setting in settings { #expect(help.contains(setting.flag + (setting.takesValue ? " <" : "/--no-"))) }
    #expect(settings.count > 20)
  }

  @Test
  func `a switch is true or false elsewhere, and the last word counts`() throws {
    let setting = try #require(settings.first { $0.name == "writable" })
    #expect(try setting.arguments(for: "true") == ["--writable"])
    #expect(try setting.arguments(for: "false") == ["--no-writable"])
    #expect(throws: SettingValueError.self) { try setting.arguments(for: "yes") }
    #expect(try !ServeCommand.parse([]).server.everyday.writable)
    #expect(try ServeCommand.parse(["--no-writable", "--writable"]).server.everyday.writable)
    #expect(try !ServeCommand.parse(["--writable", "--no-writable"]).server.everyday.writable)
  }

  @Test
  func `a default reads as itself, so that help can be pasted`() throws {
    let command = try ServeCommand.parse([])
    #expect(PageSize(setting: "\(command.requests.bounds.maxPageSize)")?.records == 1000)
    #expect(ByteCount(setting: "\(command.server.clients.maxUrlSize)")?.bytes == 8192)
    #expect(TimeSpan(setting: "\(command.server.clients.idleTimeout)")?.milliseconds == 60_000)
    #expect(TimeLimit(setting: "\(TimeLimit(seconds: 0))")?.span == nil)
  }

  @Test
  func `origins have the form in which browsers send them`() {
    for origin in ["https://a.example", "https://a.example:80", "http://localhost:3000", "http://[::1]:443"] {
      #expect(Origins(setting: origin) != nil, "\(origin)")
    }
    for origin in [
      "https://a.example:443", "http://a.example:80", "http://a.example:0080", "https://A.example",
      "https://a.example/", "a.example",
    ] {
      #expect(Origins(setting: origin) == nil, "\(origin)")
    }
  }

  @Test(
    arguments: [
      ("8192", 8192), ("8KiB", 8192), ("8 kib", 8192), ("1MiB", 1 << 20), ("1GiB", 1 << 30), ("0", 0),
      ("12B", 12),
      ("2GiB", nil), ("8K", nil), ("-1", nil), ("", nil), ("KiB", nil), ("٨", nil),
      ("99999999999999999999", nil),
      ("1.5KiB", nil),
    ] as [(String, Int?)])
  func `a size is a number of bytes, with or without a unit`(text: String, bytes: Int?) {
    #expect(ByteCount(setting: text)?.bytes == bytes)
  }

  @Test(
    arguments: [("4GiB", 4 << 30), ("1TiB", 1 << 40), ("1024TiB", 1 << 50), ("0", 0), ("1025TiB", nil)]
      as [(String, Int?)])
  func `a size of files may be larger`(text: String, bytes: Int?) {
    #expect(FileSize(setting: text)?.bytes == bytes)
    if let bytes { #expect(FileSize(bytes).description == text) }
  }

  @Test(
    arguments: [
      ("10", 10_000), ("10s", 10_000), ("500ms", 500), ("2m", 120_000), ("1h", 3_600_000), ("0", nil),
      ("1d", nil),
      ("9999999h", nil),
    ] as [(String, Int?)])
  func `a time is a number of seconds, with or without a unit`(text: String, milliseconds: Int?) {
    #expect(TimeSpan(setting: text)?.milliseconds == milliseconds)
  }
}
