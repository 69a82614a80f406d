/// The names of the parameters of requests, which no parameter of a common table expression can have.
public enum RequestParameterName: String, Sendable, CaseIterable {
  case include, join, filter, sort, fields, values, annotate, having, group, distinct, limit, offset, count
  case search, after, before, format, explain
}
