/// How the result of an aggregate depends on the order in which its rows are read.
package enum OrderDependence: Sendable {
  /// It shows the values in the order of the records, or the first of equal ones.
  case showsOrder
  /// Its last digits do: numbers with a fraction are added up one after another.
  case roundsInOrder
}
