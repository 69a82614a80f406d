import CKindredSQLite
import KindredClock

/// The snapshot of a read transaction, which the next holder of the connection may take over.
///
/// To begin and to end a transaction takes system calls for its locks, which cost as much as reading a record.
struct Snapshot {
  /// What shows that it is the latest state.
  enum Evidence {
    /// The header of the WAL index before the snapshot was taken: a commit changes it before it returns.
    case index(IndexHeader)
    /// The transaction itself: in rollback-journal modes no connection can commit as long as it has its lock
    /// (<https://www.sqlite.org/lockingv3.html>), and an immutable file never changes.
    case transaction
  }

  /// The time, in nanoseconds of `MonotonicTime`, from which no request takes it over.
  ///
  /// While requests follow each other without a pause, a commit of another process may have to wait until then, and the
  /// WAL file can't be started over.
  let end: UInt64
  let schemaVersion: Int64
  /// Nil if nothing shows it.
  let evidence: Evidence?
}

extension Connection {
  /// Begins a read transaction that shows the latest state, or goes on with the one that was kept for this holder.
  ///
  /// - Returns: The schema version.
  public func takeSnapshot() throws -> Int64 {
    let now = MonotonicTime.now()
    if let snapshot {
      if now < snapshot.end, isLatest(snapshot) { return snapshot.schemaVersion }
      endSnapshot()
    }
    // Read before the snapshot is taken: after a commit in between, the snapshot counts as outdated.
    let header = index.map(IndexHeader.init)
    let version = try beginRead()
    snapshot = Snapshot(
      end: now + configuration.snapshotAge, schemaVersion: version,
      evidence: header.map(Snapshot.Evidence.index) ?? findEvidence())
    return version
  }

  private func isLatest(_ snapshot: Snapshot) -> Bool {
    switch snapshot.evidence {
    case .index(let header): index.map(IndexHeader.init) == header
    case .transaction: true
    case nil: false
    }
  }

  /// Returns the evidence for a transaction that has begun before the journal mode was known; nil in WAL mode, which is
  /// known from then on.
  private func findEvidence() -> Snapshot.Evidence? {
    if access == .immutable { return .transaction }
    guard isReadOnly else { return nil }
    guard MainFile.isInWALMode(self) else { return .transaction }
    // Nobody can change the mode as long as this connection is open
    // (<https://www.sqlite.org/wal.html#persistence_of_wal_mode>).
    index = MainFile(of: self)?.index
    return nil
  }

  /// Returns whether the next holder could go on with the transaction.
  func canKeepSnapshot(at time: UInt64) -> Bool {
    guard let snapshot, snapshot.evidence != nil, time < snapshot.end else { return false }
    // A transaction that has filled temporary tables must be committed, or an error of the next holder would undo them.
    return isInTransaction && sqlite3_txn_state(handle, nil) == SQLITE_TXN_READ && !interruption.isRequested
  }

  /// Ends the transaction of a snapshot.
  public func endSnapshot() {
    guard snapshot != nil else { return }
    snapshot = nil
    // A rollback would undo the transient tables.
    if isInTransaction { _ = try? commit() }
  }
}
