import KindredSQLSyntax

/// What a plan has to know about the SQL of its statements, as a note of whoever wrote that SQL.
enum PlanNote: SQLNote {
  /// It depends on more than the database, such as the clock or random numbers.
  case volatile
}
