import KindredModel

extension RequestError {
  /// Returns the error; if a column has the name of the parameter that caused it, with how to write a condition on the column.
  ///
  /// - Parameter segments: The path of the request.
  package func proposingColumn(at segments: [Substring], _ query: URLQuery, in model: Model) -> RequestError {
    guard let name = origin?.parameter, let parameters = try? QueryParameters(query).parameters,
      let parameter = parameters.first(where: { $0.node.isEmpty && $0.name == name })
    else { return self }
    var parser = PathParser(model: model, literals: Literals())
    guard let path = try? parser.parse(segments),
      let resource = model.resources[path.lastAssociation?.destination ?? path.resource],
      let column = resource.columns.first(named: name)
    else { return self }
    let filter = column.filter(equalTo: parameter.value)
    return adding("write `filter=\(filter)` for the column", suggestion: filter)
  }
}

extension Column {
  /// Returns the condition that the column has a value, as `COLUMN=` has it.
  fileprivate func filter(equalTo value: String) -> String {
    let isNumber = affinity.isNumeric && value.wholeMatch(of: /-?[0-9]+(?:\.[0-9]+)?/) != nil
    let literal = isNumber ? value : "'\(value.replacing("'", with: "''"))'"
    return "\"\(name.replacing("\"", with: "\"\""))\"=\(literal)"
  }
}
