import ArgumentParser
import Foundation
import KindredAPI
import KindredRequests

/// A page of the documentation in Markdown, made from what the program knows of itself.
struct ReferencePage {
  /// What a page is about; the raw value is the name of its file.
  enum Subject: String, ExpressibleByArgument, CaseIterable {
    case commands, settings, metrics, errors
  }

  private(set) var text: String

  /// - Throws: `DecodingError` if ArgumentParser describes the commands in another way than it did.
  init(_ subject: Subject) throws {
    text = """
      # \(subject.rawValue.capitalized)

      <!-- `kindred manual \(subject.rawValue)` prints this page, and `make reference` writes it. -->


      """
    switch subject {
    case .commands: addCommands(try DescribedCommand.root.subcommands ?? [])
    case .settings: addSettings(try DescribedCommand.root.subcommands ?? [])
    case .metrics: addMetrics()
    case .errors: addErrors()
    }
    text.removeLast()
  }

  // MARK: Subjects

  private mutating func addCommands(_ commands: [DescribedCommand]) {
    add(
      "`kindred COMMAND --help` prints the same. The exit code is 0 on success, 1 on failure, and 64 if the command line is invalid; errors are one line on standard error."
    )
    let settings = Set(Setting.all(of: ServeCommand()).map(\.flag))
    for command in commands where command.commandName != "help" {
      let arguments = (command.arguments ?? []).filter {
        $0.isShown && $0.flag != "--help" && $0.flag != "--version"
      }
      let own = arguments.filter { $0.flag.map { !settings.contains($0) } ?? true }
      let names = own.filter { $0.flag == nil }.map { $0.isOptional ? "[\($0.placeholder)]" : $0.placeholder }
      add("## kindred \(command.commandName)")
      add(command.abstract)
      add("`\((["kindred", command.commandName] + names).joined(separator: " "))`")
      addDiscussion(command.discussion ?? "")
      addTable(
        ["argument or option", "default", ""],
        own.map { [$0.shown, $0.defaultValue.map { "`\($0)`" } ?? "", $0.abstract ?? ""] })
      let shared = arguments.compactMap(\.flag).filter(settings.contains)
      guard !shared.isEmpty else { continue }
      add(
        command.commandName == "serve"
          ? "All [settings](settings.md) are options, too."
          : "These [settings](settings.md) are options, too: \(shared.map { "`\($0)`" }.joined(separator: ", "))."
      )
    }
  }

  private mutating func addSettings(_ commands: [DescribedCommand]) {
    add(
      "Each setting is an option of `kindred serve`, an environment variable, and a key of the YAML file that `--config` names: `--max-body-size` is `KINDRED_MAX_BODY_SIZE` and `maxBodySize`, and `--tls-key` is `KINDRED_TLS_KEY` and `key` in the section `tls`. Options override the environment, which overrides the file, which overrides the defaults. [Operation](operation.md#configuration) has the rules of the file."
    )
    add(
      "Turn a switch off by `--no-`, as in `--no-explorer`; in the environment and the file it is `true` or `false`. Write sizes as `8192`, `8KiB` or `1MiB`, and times as `500ms`, `10s` or `2m`."
    )
    let options = commands.first { $0.commandName == "serve" }?.arguments ?? []
    var sections: [(title: String, rows: [[String]])] = []
    for setting in Setting.all(of: ServeCommand()) {
      guard let option = options.first(where: { $0.flag == setting.flag && $0.isShown }) else { continue }
      let title = option.sectionTitle ?? ""
      let row = [
        "`\(setting.flag)`", setting.name == "config" ? "" : "`\(setting.key)`",
        option.defaultValue.map { "`\($0)`" } ?? "",
        option.abstract ?? "",
      ]
      if let index = sections.firstIndex(where: { $0.title == title }) {
        sections[index].rows.append(row)
      } else {
        sections.append((title, [row]))
      }
    }
    for section in sections {
      add("## \(section.title)")
      addTable(["option", "key", "default", ""], section.rows)
    }
  }

  private mutating func addMetrics() {
    add(
      "`/-/metrics` has these in the format of Prometheus, each as far as the server has what it counts: those of replicas with `--replica`, those of writes with `--writable`, those of a write-ahead log with a database that has one. [Monitoring](monitoring.md) says who may read them, and what to watch."
    )
    addTable(
      ["metric", "type", ""], MetricDescription.all.map { ["`\($0.name)`", $0.kind, $0.text] })
  }

  private mutating func addErrors() {
    add(
      "An error is a problem document ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)), as [Requests](requests.md#errors) describes. Its `type` ends with the code: `/-/errors#unknown-column`. `/-/errors` of each server lists the same codes. [Troubleshooting](troubleshooting.md) begins with the messages."
    )
    for error in ErrorDescription.all {
      add("## \(error.code)")
      add("\(error.title): \(error.statuses). \(error.text)")
    }
  }

  // MARK: Markdown

  private mutating func add(_ paragraph: String) { text += paragraph + "\n\n" }

  private mutating func addTable(_ header: [String], _ rows: [[String]]) {
    guard !rows.isEmpty else { return }
    let lines = [header, header.map { _ in "---" }] + rows.map { $0.map(Self.cell) }
    add(lines.map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n"))
  }

  /// Adds the paragraphs of a discussion, and its examples as commands.
  private mutating func addDiscussion(_ discussion: String) {
    for part in discussion.components(separatedBy: "\n\n") where !part.isEmpty {
      let lines = part.split(separator: "\n")
      if lines.first == "Examples:" {
        add(
          "```sh\n\(lines.dropFirst().map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n"))\n```"
        )
      } else {
        add(Self.cell(part))
      }
    }
  }

  /// Returns a text with options as code.
  private static func cell(_ text: String) -> String {
    guard !text.contains("`") else { return text.replacing("|", with: "\\|") }
    return text.replacing("|", with: "\\|").replacing(/--[a-z]+(-[a-z]+)*/) { "`\($0.output.0)`" }
  }
}

/// A command as ArgumentParser describes it in JSON.
private struct DescribedCommand: Decodable {
  struct Argument: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String
    }

    var kind: String
    var shouldDisplay: Bool
    var isOptional: Bool
    var preferredName: Name?
    var sectionTitle: String?
    var valueName: String?
    var abstract: String?
    var defaultValue: String?

    /// Whether it is shown, once for both forms of a switch.
    var isShown: Bool { shouldDisplay && !(preferredName?.name.hasPrefix("no-") ?? false) }
    /// The option; nil for an argument.
    var flag: String? { preferredName.map { "--\($0.name)" } }
    var placeholder: String { (valueName ?? "").uppercased() }
    /// How it is written.
    var shown: String {
      guard let flag else { return "`\(placeholder)`" }
      return kind == "option" ? "`\(flag) \(placeholder)`" : "`\(flag)`"
    }
  }

  private struct Document: Decodable {
    var command: DescribedCommand
  }

  var commandName: String
  var abstract: String
  var discussion: String?
  var arguments: [Argument]?
  var subcommands: [DescribedCommand]?

  /// The command `kindred`.
  static var root: DescribedCommand {
    get throws { try JSONDecoder().decode(Document.self, from: Data(Kindred._dumpHelp().utf8)).command }
  }
}
