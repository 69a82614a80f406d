import ArgumentParser
import Foundation

@main
enum Main {
  /// Runs a command, and tells what went wrong in one line.
  ///
  /// The exit code is 0 when all was done, 64 (`EX_USAGE`) when the command line is not understood, else 1.
  static func main() {
    let invocation = Invocation.current
    do {
      var command = try invocation.command()
      try command.run()
    } catch {
      let code = Kindred.exitCode(for: error)
      if code == .success {
        try? StandardOutput.writeLine(Kindred.fullMessage(for: error))
      } else {
        report(error, exitCode: code, invocation)
      }
      exit(code.rawValue)
    }
  }

  private static func report(_ error: any Error, exitCode: ExitCode, _ invocation: Invocation) {
    var message = Kindred.message(for: error)
    if exitCode == .validationFailure {
      let commands = Kindred.configuration.subcommands.map { $0.configuration.commandName }
      let command = invocation.arguments.first.flatMap { commands.contains($0) ? " \($0)" : nil } ?? ""
      message += "; see `kindred\(command) --help`"
    }
    FileHandle.standardError.write(Data("kindred: \(message.singleLine)\n".utf8))
  }
}
