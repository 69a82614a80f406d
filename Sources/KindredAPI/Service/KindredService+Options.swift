extension KindredService {
  /// What the service may be told beside its database.
  public struct Options: Sendable {
    /// What a request may ask for at most.
    public var limits = RequestLimits()
    /// Whether clients may write, where the database can be written to.
    public var isWritable = false
    /// Whether browsers get pages.
    public var servesExplorer = true
    /// How long a request may take, in seconds; nil for ever.
    public var queryTime: Double? = 10
    /// How hard answers of some length are compressed for clients that take gzip: 1 (fast) to 9 (small); nil for not
    /// at all.
    public var compressionLevel: Int? = 1
    /// Who clients are; where it is nil, and the model file restricts nothing, everybody may do everything.
    public var access: AccessConfiguration?
    /// Who sends all requests, instead of who their credentials say; nil for the latter.
    public var impersonated: Impersonation?
    /// By which hosts the service may be addressed; any by default.
    public var hosts = AllowedHosts.any
    /// Which pages of other origins may use the service; nil for none.
    public var cors: CORSPolicy?
    /// Where each request is noted; nil for nowhere.
    public var requestLog: (any RequestLog)?
    /// How results are kept live; nil where nobody may listen.
    public var live: LiveOptions? = LiveOptions()
    /// Whether the log of requests has their queries, and the values of keys by name in their paths.
    public var logsQueries = false
    /// Whether `explain=true` shows the statements of a request.
    public var showsPlans = true
    /// Whether `/-/metrics` is there.
    public var showsMetrics = true
    /// Whether answers tell how long they took (`Server-Timing`).
    public var tellsTiming = false

    /// The key of cursors, 32 bytes; a random one by default, so that those of another run are refused.
    public var cursorKey: [UInt8]?

    /// The defaults.
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
