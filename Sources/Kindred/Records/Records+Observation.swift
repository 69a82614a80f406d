extension FetchRequest where Self: Sendable, RowDecoder: FetchableRecord & Sendable {
  /// An observation of all records.
  public func observationForAll() -> ValueObservation<ValueReducers.AllRecords<RowDecoder>> {
    .tracking { db in try fetchAll(db) }
  }

  /// An observation of the first record.
  public func observationForFirst() -> ValueObservation<ValueReducers.OneRecord<RowDecoder>> {
    .tracking { db in try fetchOne(db) }
  }
}

extension TableRecord {
  /// An observation of how many records there are, without repetitions.
  public static func observationForCount()
    -> ValueObservation<ValueReducers.RemoveDuplicates<ValueReducers.Fetch<Int>>>
  { all().observationForCount() }
}

extension TableRecord where Self: FetchableRecord & Sendable {
  /// An observation of all records.
  public static func observationForAll() -> ValueObservation<ValueReducers.AllRecords<Self>> {
    all().observationForAll()
  }

  /// An observation of the first record.
  public static func observationForFirst() -> ValueObservation<ValueReducers.OneRecord<Self>> {
    all().observationForFirst()
  }
}
