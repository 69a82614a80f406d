import ArgumentParser
import Foundation
import KindredHTTP

/// The command `kindred manual`.
struct ManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual",
    abstract: "Print the manual page, or a page of the reference in Markdown.",
    discussion: """
      Examples:
        kindred manual | man -l -
        kindred manual > /usr/local/share/man/man1/kindred.1
        kindred manual settings > settings.md
      """)

  @Argument(help: "commands, settings, metrics or errors; the manual page by default.")
  var subject: ReferencePage.Subject?

  func run() throws {
    guard let subject else { return try StandardOutput.writeLine(ManualPage().text) }
    try StandardOutput.write(.bytes(Array(ReferencePage(subject).text.utf8)))
  }
}

/// The manual page, made from the commands and their settings.
struct ManualPage {
  let text: String

  init() {
    var page = Roff()
    page.macro("TH", "KINDRED", "1", "", "Kindred \(Kindred.version)", "User Commands")
    page.section("NAME")
    page.paragraph("kindred \\- \(Roff.escaped(Kindred.configuration.abstract))")
    page.section("SYNOPSIS")
    page.line(".B kindred")
    page.line("\\fIcommand\\fR [\\fIargument\\fR ...]")
    page.section("COMMANDS")
    for command in Kindred.configuration.subcommands { page.add(command) }
    page.section("SETTINGS")
    page.paragraph(
      "Options of serve that also have an environment variable and a key of the configuration file; options override the environment, which overrides the file."
    )
    for setting in Setting.all(of: ServeCommand()).sorted(by: { $0.flag < $1.flag }) {
      page.item(setting.flag, "\(setting.environmentVariable), \(setting.key)")
    }
    page.section("EXIT STATUS")
    for (code, meaning) in [
      ("0", "The command is done."), ("1", "It failed."),
      ("4, 5", "Of query with --check-status: a request had a status 4xx or 5xx."),
      ("64", "The command line is invalid."),
    ] {
      page.item(code, meaning)
    }
    text = page.text
  }
}

/// Text in the language of manual pages (man(7)).
private struct Roff {
  private(set) var text = ""

  static func escaped(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    // A line that begins with a dot or an apostrophe would be a macro.
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
  }

  mutating func line(_ line: String) { text += text.isEmpty ? line : "\n" + line }

  mutating func macro(_ name: String, _ arguments: String...) {
    line(([".\(name)"] + arguments.map { "\"\($0)\"" }).joined(separator: " "))
  }

  mutating func section(_ name: String) { macro("SH", name) }

  mutating func paragraph(_ text: String) {
    macro("PP")
    line(text)
  }

  /// Adds an entry of a list.
  mutating func item(_ name: String, _ text: String) {
    macro("TP")
    line(".B " + Self.escaped(name))
    line(Self.escaped(text))
  }

  /// Adds a command as its help describes it.
  mutating func add(_ command: any ParsableCommand.Type) {
    macro("SS", "kindred " + (command.configuration.commandName ?? ""))
    macro("nf")
    let help = Kindred.helpMessage(for: command, columns: 76)
    for part in help.split(separator: "\n", omittingEmptySubsequences: false) {
      line(Self.escaped(String(part)))
    }
    macro("fi")
  }
}
