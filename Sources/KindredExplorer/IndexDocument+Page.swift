import KindredModel
import KindredOutput
import KindredRequests
import KindredTools

extension IndexDocument {
  /// Returns the index as a page.
  package var page: Representation {
    let origins = AssociationOrigins(model)
    let rows = model.resources.values.map { resource in
      let columns = resource.columns.map { column in
        let title = column.comment.map { " title=\"\($0.escapedForHTML)\"" } ?? ""
        return "<span\(title)>\(column.name.escapedForHTML)</span>"
      }
      let comment = resource.table.comment.map { "<p><small>\($0.escapedForHTML)</small></p>" } ?? ""
      let associations = resource.associations.values.map { association in
        let link = link(to: association.destination).escapedForHTML
        let key = association.key.escapedForHTML
        // The foreign key that the association comes from, with a link to the diagram that shows it.
        let around = URLCoding.encodeQueryValue(resource.name).escapedForHTML
        let diagram = "\(basePath.text)\(OperationsPage.diagramSVG.path)?around=\(around)"
        let origin = origins[association].map {
          "<a class=\"origin\" href=\"\(diagram)\" title=\"from \($0.escapedForHTML)\">\(key)</a>"
        }
        return
          "<li>\(origin ?? key) <a href=\"\(link)\">\(association.destination.escapedForHTML)</a></li>"
      }
      return """
        <tr><th scope="row"><a href="\(link(to: resource.name).escapedForHTML)">\(resource.name.escapedForHTML)</a>\(comment)</th>\
        <td class="names">\(columns.joined(separator: " "))</td>\
        <td>\(associations.isEmpty ? "" : "<ul>\(associations.joined())</ul>")</td></tr>

        """
    }
    let items = model.actions.keys.map { name in
      "<li><a href=\"\(link(to: name).escapedForHTML)\">\(name.escapedForHTML)</a></li>"
    }
    let actions =
      items.isEmpty
      ? "" : "<section aria-label=\"Actions\"><h2>Actions</h2><ul>\(items.joined())</ul></section>"
    let page = ExplorerPage(basePath: basePath, title: "Resources")
    let hint = model.lacksReferences ? "<p>\(Model.referencesHint.escapedForHTML)</p>\n" : ""
    return Representation(
      page,
      """
      \(hint)<table class="index" aria-label="Resources"><thead><tr><th scope="col">resource</th>\
      <th scope="col">columns</th><th scope="col">associations</th></tr></thead><tbody>
      \(rows.joined())</tbody></table>
      \(actions)
      """)
  }
}
