/// A value of one of SQLite's five storage classes (<https://www.sqlite.org/datatype3.html>).
public enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}
