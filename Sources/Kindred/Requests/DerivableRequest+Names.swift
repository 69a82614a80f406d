// GRDB's names for what a request can be, all of which a `DerivableRequest` is.

/// A request whose rows have a type.
public typealias TypedRequest = DerivableRequest

/// A request whose columns can be chosen.
public typealias SelectionRequest = DerivableRequest

/// A request whose records can be filtered.
public typealias FilteredRequest = DerivableRequest

/// A request whose records can be ordered.
public typealias OrderedRequest = DerivableRequest

/// A request whose records can be grouped.
public typealias AggregatingRequest = DerivableRequest

/// A request to which associations can be joined.
public typealias JoinableRequest = DerivableRequest

/// A request of the records of a table.
public typealias TableRequest = DerivableRequest
