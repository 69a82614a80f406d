import ArgumentParser
import Foundation

@main
enum Main {
  /// Runs a command and reports an error in one line.
  ///
  /// The exit code is 0 on success, 64 (`EX_USAGE`) if the command line is invalid, and 1 for any other error.
  static func main() {
    FileDescriptors.reserveStandard()
    let (code, message) = run(CommandLine.arguments)
    // The log precedes the error that ended it.
    LogOutput.standardError.flush()
    if let message {
      // A pipe without a reader would otherwise end the process with another exit code.
      signal(SIGPIPE, SIG_IGN)
      StandardError.write("kindred: \(message.singleLine)\n")
    }
    exit(code.rawValue)
  }

  private static func run(_ commandLine: [String]) -> (code: ExitCode, message: String?) {
    do {
      let invocation = try Invocation(commandLine: commandLine, environment: .current)
      var command = try invocation.command()
      try command.run()
      return (.success, nil)
    } catch is ReportedMistakes {
      return (.failure, nil)
    } catch let failure as FailedStatus {
      return (ExitCode(failure.exitCode), nil)
    } catch {
      let code = Kindred.exitCode(for: error)
      guard code == .success else { return (code, message(for: error, code, commandLine.dropFirst())) }
      try? StandardOutput.writeLine(Kindred.fullMessage(for: error))
      return (code, nil)
    }
  }

  /// Whether it is a URL of the web that has no place for a password, such as an origin.
  private static func isPlainOrigin(_ argument: String) -> Bool {
    argument.wholeMatch(of: /https?:\/\/[^@?=]*/) != nil
  }

  /// Returns the message about an error, without the secrets of the arguments.
  private static func message(
    for error: any Error, _ code: ExitCode, _ arguments: ArraySlice<String>
  ) -> String {
    var message = Kindred.message(for: error)
    for argument in arguments where !isPlainOrigin(argument) {
      if let shown = DatabaseLocation.withoutSecrets(argument) { message.replace(argument, with: shown) }
    }
    if code == .validationFailure {
      let command = arguments.first.flatMap { Invocation.commands.contains($0) ? " \($0)" : nil } ?? ""
      let help = "`kindred\(command) --help`"
      // ArgumentParser's messages are sentences.
      if message.hasSuffix(".") { message.removeLast() }
      message += message.hasSuffix("?") ? " See \(help)." : "; see \(help)"
    }
    return message
  }
}
