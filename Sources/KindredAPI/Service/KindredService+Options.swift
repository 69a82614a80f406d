import KindredRequests
import KindredSpooling

extension KindredService {
  /// The options of the service.
  public struct Options: Sendable {
    /// The limits of requests.
    public var limits = RequestLimits()
    /// Whether clients may write, if the database is writable.
    public var isWritable = false
    /// Whether browsers get pages of the explorer.
    public var servesExplorer = true
    /// The query time in seconds; nil for no limit.
    public var queryTime: Double? = 10
    /// The memory in bytes that the statements of a request may use, which messages name; nil if it is not limited.
    public var queryMemory: Int?
    /// The fraction of the query time that may be spent on reading a long record for its tag alone; reading it twice
    /// must fit.
    var measuredShare = 0.4
    /// The seconds after which a result that is being sent is read into a temporary file, if it keeps a connection from
    /// others, or something has been committed behind its snapshot.
    public var snapshotAge: Double = 10
    /// The room for results that are read ahead of their clients.
    public var spools = ByteBudget()
    /// The memory for contents of requests.
    public var contents = ContentMemory()
    /// The memory in bytes for the contents of responses that are sent again while they are the same; 0 caches none.
    public var responseCache = 16 << 20
    /// The gzip level of longer responses to clients that accept it, from 1 (fast) to 9 (small); nil for no
    /// compression.
    public var compressionLevel: Int? = 1
    /// How clients authenticate; nil, if the model file has no access rules either, allows everything to everyone.
    public var access: AccessConfiguration?
    /// The principal of all requests, whatever their credentials; nil to use the credentials.
    public var impersonated: Impersonation?
    /// What a proxy puts before every path.
    public var basePath = BasePath.root
    /// The hosts under which the service may be addressed; any by default.
    public var hosts = AllowedHosts.any
    /// Which pages of other origins may use the service; nil for none.
    public var cors: CORSPolicy?
    /// Whether responses tell browsers to use only HTTPS for a year (RFC 6797); only for a service reached by HTTPS.
    public var requiresHTTPS = false
    /// The log of requests, if there is one.
    public var requestLog: (any RequestLog)?
    /// Counts the lines that the log has dropped, for the metrics; nil if they aren't counted.
    public var droppedLogLines: (@Sendable () -> Int)?
    /// The settings of live results; nil to disable them.
    public var live: LiveOptions? = LiveOptions()
    /// Whether the request log contains queries, and the values of named keys in paths.
    public var logsQueries = false
    /// Whether `explain=true` shows the statements of a request.
    public var showsPlans = true
    /// Whether `/-/metrics` is available.
    public var showsMetrics = true
    /// The version of the program, for the metrics.
    public var version = ""
    /// Whether responses have `Server-Timing`.
    public var tellsTiming = false

    /// The key of cursors, 32 bytes; random by default, so that cursors of another run are refused.
    public var cursorKey: [UInt8]?

    /// Creates the default options.
    public init() {}

    /// A principal whose requests need no credentials.
    public enum Impersonation: Sendable {
      /// The user who runs the program: no rule applies.
      case `operator`
      /// The bearer of a token with these claims, a JSON object.
      case claims([UInt8])
    }
  }
}
