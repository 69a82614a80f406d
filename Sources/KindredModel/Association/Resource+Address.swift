extension Resource {
  /// The columns by whose values a path names a record, in key order; empty if there are none.
  ///
  /// These are the columns of the primary key, unless the model file hides one: as clients can't filter by a hidden
  /// column, no path does. A column that only an access entry withholds counts, because keys over it still work.
  public var addressColumns: [Column] {
    let key = table.primaryKey.map { table.columns[$0] }
    return key.contains { hidden.contains($0.name) && !withheld.contains($0.name) } ? [] : key
  }

  /// The columns of the address, if the client may read all of their values; otherwise empty.
  public var shownAddressColumns: [Column] {
    let address = addressColumns
    return address.contains { hidden.contains($0.name) } ? [] : address
  }

  /// Returns the columns of the address that a path leaves open after an association.
  ///
  /// - Parameter association: The association before the key; nil if the path begins with this resource.
  public func openAddressColumns(below association: Association?) -> [Column] {
    let fixed = association?.fixedColumns ?? []
    return addressColumns.filter { !fixed.contains($0.name) }
  }
}

extension Resource {
  /// Returns the parameters to which a request may give values after an association, which may fix some.
  public func parameters(below association: Association?) -> [QueryParameter] {
    table.parameters.filter { association?.parameters[$0.name] == nil }
  }
}

extension Association {
  /// The columns of the associated records whose values follow from the record that has them.
  ///
  /// Through other tables, nothing follows for the columns of the destination.
  public var fixedColumns: [String] { steps.count == 1 ? steps[0].destinationColumns : [] }
}
