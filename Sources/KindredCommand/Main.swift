import ArgumentParser
import Foundation

@main
enum Main {
  /// Runs a command and reports an error in one line.
  ///
  /// The exit code is 0 on success, 64 (`EX_USAGE`) if the command line is invalid, and 1 for any other error.
  static func main() {
    FileDescriptors.reserveStandard()
    let code = run(CommandLine.arguments)
    LogOutput.standardError.flush()
    exit(code.rawValue)
  }

  private static func run(_ commandLine: [String]) -> ExitCode {
    do {
      let invocation = try Invocation(commandLine: commandLine, environment: .current)
      var command = try invocation.command()
      try command.run()
      return .success
    } catch {
      let code = Kindred.exitCode(for: error)
      if code == .success {
        try? StandardOutput.writeLine(Kindred.fullMessage(for: error))
      } else {
        report(error, code, commandLine.dropFirst())
      }
      return code
    }
  }

  private static func report(_ error: any Error, _ code: ExitCode, _ arguments: ArraySlice<String>) {
    var message = Kindred.message(for: error)
    for argument in arguments {
      if let shown = DatabaseLocation.withoutSecrets(argument) { message.replace(argument, with: shown) }
    }
    if code == .validationFailure {
      let command = arguments.first.flatMap { Invocation.commands.contains($0) ? " \($0)" : nil } ?? ""
      let help = "`kindred\(command) --help`"
      // ArgumentParser's messages are sentences.
      if message.hasSuffix(".") { message.removeLast() }
      message += message.hasSuffix("?") ? " See \(help)." : "; see \(help)"
    }
    // The log precedes the error that ended it.
    LogOutput.standardError.flush()
    // A pipe that nobody reads would otherwise end the process with another exit code.
    signal(SIGPIPE, SIG_IGN)
    StandardError.write("kindred: \(message.singleLine)\n")
  }
}
