import ArgumentParser
import Foundation
import KindredAPI
import KindredModel
import KindredPlanning
import KindredSQLite
import KindredYAML
import KindredRequests

/// The settings of every command that answers requests.
///
/// A setting needs only a property: `Setting` derives its names.
struct RequestSettings: ParsableArguments {
  @OptionGroup(title: "Common options") var everyday: EverydayRequestSettings
  @OptionGroup(title: "Requests") var bounds: RequestBoundSettings
}

/// What is set for requests every day.
struct EverydayRequestSettings: ParsableArguments {
  @Option("A model file that refines the model inferred from the schema.", value: "file")
  var model: String?

  @Option("The default number of records per page; 0 for all.", value: "n")
  var pageSize = PageSize(100)
}

/// What requests may take, and the key of their cursors.
struct RequestBoundSettings: ParsableArguments {
  @Option("The maximum number of records per page; 0 for no limit.", value: "n")
  var maxPageSize = PageSize(1000)

  @Option("The maximum depth of associations in a request.", value: "n")
  var maxDepth = Limit(8)

  @Option("The maximum number of associations in a request.", value: "n")
  var maxNodes = Limit(32)

  @Option("The maximum nesting of an expression.", value: "n")
  var maxExpressionDepth = Limit(64)

  @Option("How long a request may use the database; 0 for no limit.", value: "time")
  var queryTimeout = TimeLimit(seconds: 10)

  @Option("The maximum size of the SQL for a request.", value: "size")
  var maxSqlSize = ByteCount(256 << 10)

  @Option("The memory that the statements of a request may use.", value: "size")
  var maxQueryMemory = ByteCount(48 << 20)

  @Option("The temporary files that the statements of a request may use.", value: "size")
  var maxTemporarySize = ByteCount(512 << 20)

  @Option(
    "The key that encrypts page cursors, 64 hexadecimal digits, to be shared by several servers; random by default.",
    value: "key")
  var cursorKey: CursorKey?

  @Option("A file that has this key.", value: "file")
  var cursorKeyFile: String?
}

extension RequestSettings {
  /// The limits of requests.
  var limits: RequestLimits {
    var limits = RequestLimits()
    limits.maximumPageSize = bounds.maxPageSize.records
    // A smaller --max-page-size also lowers the default size.
    limits.pageSize = everyday.pageSize.records.map { min($0, bounds.maxPageSize.records ?? $0) }
    limits.treeDepth = bounds.maxDepth.count
    limits.nodes = bounds.maxNodes.count
    limits.expressionDepth = bounds.maxExpressionDepth.count
    limits.sqlLength = bounds.maxSqlSize.bytes
    return limits
  }

  /// Returns the options of the service that these settings determine.
  ///
  /// - Throws: `ConfigurationError` or `ValidationError`
  func serviceOptions() throws -> KindredService.Options {
    var options = KindredService.Options()
    options.limits = limits
    options.queryTime = bounds.queryTimeout.span.map { Double($0.milliseconds) / 1000 }
    options.queryMemory = bounds.maxQueryMemory.bytes
    options.cursorKey = try sharedCursorKey()?.bytes
    return options
  }

  /// Returns the key that encrypts page cursors; nil for one that the server creates.
  ///
  /// - Throws: `ConfigurationError` or `ValidationError`
  func sharedCursorKey() throws -> CursorKey? {
    guard let path = bounds.cursorKeyFile else { return bounds.cursorKey }
    guard bounds.cursorKey == nil else {
      throw ValidationError("--cursor-key and --cursor-key-file exclude each other; leave one of them out")
    }
    do {
      let text = try TextFile.text(of: path).trimmingCharacters(in: .whitespacesAndNewlines)
      guard let key = CursorKey(setting: text) else {
        throw ConfigurationError(place: path, message: "it must have \(CursorKey.expectation)")
      }
      return key
    } catch let error as TextFileError {
      throw ConfigurationError(place: path, message: "\(error)")
    }
  }

  /// The configuration of connections to SQLite.
  var connectionConfiguration: ConnectionConfiguration {
    var configuration = ConnectionConfiguration()
    configuration.resourceLimits.memory = Int64(bounds.maxQueryMemory.bytes)
    configuration.resourceLimits.temporaryFiles = Int64(bounds.maxTemporarySize.bytes)
    configuration.resourceLimits.builtValue = 2 << 20
    return configuration
  }
}

extension RequestSettings {
  /// Returns a function that makes the model of a database: inferred, and refined by the model file if there is one.
  func modelSource() throws -> @Sendable (any SchemaSource) throws -> Model {
    try ModelDefinition(everyday.model).model
  }
}
