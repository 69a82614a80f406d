import ArgumentParser
import Foundation

@main
enum Main {
  /// Runs a command and reports an error in one line.
  ///
  /// The exit code is 0 on success, 64 (`EX_USAGE`) if the command line is invalid, and 1 for any other error.
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
