import KindredPostgreSQL

/// What clients learn about values that PostgreSQL can't compute or convert.
///
/// PostgreSQL's own messages quote values, which may be those of columns or records that the client may not read. So clients
/// get a text for each SQLSTATE, and PostgreSQL's message only where it is about a value of their own request.
extension PostgreSQLError {
  /// What is wrong with a value, without the value.
  var fault: String {
    // It tells the type and its length, and nothing of the value.
    if state == .tooLong, !message.contains("\"") { return message }
    return Self.faults[state] ?? "a value isn't valid for what is made of it"
  }

  /// The texts of the SQLSTATEs about values (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
  private static let faults: [State: String] = [
    "0A000": "PostgreSQL doesn't support this operation for these values",
    "22000": "a value isn't valid for its type",
    "22001": "a text is too long for its type",
    "22003": "a number is out of range",
    "22004": "NULL isn't allowed here",
    "22007": "a text isn't a date or a time",
    "22008": "a date or a time is out of range",
    "22009": "a time zone's displacement is out of range",
    "22011": "a part of a text has a negative length",
    "22012": "division by zero",
    "22015": "an interval is out of range",
    "22018": "a text can't be converted to this type",
    "22019": "the escape character must be a single character",
    "22021": "a text has a character that the encoding lacks",
    "22023": "an argument has a value that isn't allowed",
    "22025": "a pattern ends with its escape character",
    "22026": "a bit string has the wrong length",
    "22030": "a JSON object has a name twice",
    "22032": "a text isn't JSON",
    "22033": "an index is outside of a JSON array",
    "22P02": "a text isn't a value of the type that it is converted to",
    "22P03": "bytes aren't a value of their type",
    "22P05": "a text contains a character that can't be stored",
    "2201B": "a regular expression is malformed",
    "2201E": "a logarithm isn't defined for this number",
    "2201F": "a power isn't defined for these numbers",
    "2202E": "the dimensions of arrays don't match",
    "42P08": "PostgreSQL can't tell the type of a value; write a `cast`",
    "42P18": "PostgreSQL can't tell the type of a value; write a `cast`",
  ]
}

extension PostgreSQLError.State {
  /// A text or a bit string is longer than the type of its column.
  fileprivate static let tooLong: Self = "22001"
}
