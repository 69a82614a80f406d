extension TableRecord {
  /// Returns an observation of the number of records, which notifies it when it differs.
  public static func observationForCount()
    -> ValueObservation<ValueReducers.RemoveDuplicates<ValueReducers.Fetch<Int>>>
  { all().observationForCount() }
}

extension TableRecord where Self: FetchableRecord & Sendable {
  /// Returns an observation of all records.
  public static func observationForAll() -> ValueObservation<ValueReducers.AllRecords<Self>> {
    all().observationForAll()
  }

  /// Returns an observation of the first record.
  public static func observationForFirst() -> ValueObservation<ValueReducers.OneRecord<Self>> {
    all().observationForFirst()
  }
}
