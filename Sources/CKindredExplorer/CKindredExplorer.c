#include "CKindredExplorer.h"

// `#embed` is part of C23 (ISO/IEC 9899:2024, 6.10.4); clang supports it in all modes.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char associations_js[] = {
#embed "assets/associations.js"
};
static const unsigned char cells_js[] = {
#embed "assets/cells.js"
};
static const unsigned char changes_js[] = {
#embed "assets/changes.js"
};
static const unsigned char chart_js[] = {
#embed "assets/chart.js"
};
static const unsigned char chips_js[] = {
#embed "assets/chips.js"
};
static const unsigned char code_view_js[] = {
#embed "assets/code-view.js"
};
static const unsigned char completions_js[] = {
#embed "assets/completions.js"
};
static const unsigned char copying_js[] = {
#embed "assets/copying.js"
};
static const unsigned char diagram_js[] = {
#embed "assets/diagram.js"
};
static const unsigned char dialog_js[] = {
#embed "assets/dialog.js"
};
static const unsigned char dom_js[] = {
#embed "assets/dom.js"
};
static const unsigned char editing_js[] = {
#embed "assets/editing.js"
};
static const unsigned char edits_js[] = {
#embed "assets/edits.js"
};
static const unsigned char endless_js[] = {
#embed "assets/endless.js"
};
static const unsigned char explorer_css[] = {
#embed "assets/explorer.css"
};
static const unsigned char explorer_js[] = {
#embed "assets/explorer.js"
};
static const unsigned char facet_js[] = {
#embed "assets/facet.js"
};
static const unsigned char fields_js[] = {
#embed "assets/fields.js"
};
static const unsigned char fragment_js[] = {
#embed "assets/fragment.js"
};
static const unsigned char grid_js[] = {
#embed "assets/grid.js"
};
static const unsigned char headers_js[] = {
#embed "assets/headers.js"
};
static const unsigned char highlights_js[] = {
#embed "assets/highlights.js"
};
static const unsigned char icon_svg[] = {
#embed "assets/icon.svg"
};
static const unsigned char json_view_js[] = {
#embed "assets/json-view.js"
};
static const unsigned char live_js[] = {
#embed "assets/live.js"
};
static const unsigned char menu_js[] = {
#embed "assets/menu.js"
};
static const unsigned char outline_js[] = {
#embed "assets/outline.js"
};
static const unsigned char palette_js[] = {
#embed "assets/palette.js"
};
static const unsigned char plan_js[] = {
#embed "assets/plan.js"
};
static const unsigned char request_js[] = {
#embed "assets/request.js"
};
static const unsigned char rows_js[] = {
#embed "assets/rows.js"
};
static const unsigned char server_js[] = {
#embed "assets/server.js"
};
static const unsigned char sign_in_js[] = {
#embed "assets/sign-in.js"
};
static const unsigned char snippets_js[] = {
#embed "assets/snippets.js"
};
static const unsigned char theme_choice_js[] = {
#embed "assets/theme-choice.js"
};
static const unsigned char theme_js[] = {
#embed "assets/theme.js"
};
static const unsigned char treegrid_js[] = {
#embed "assets/treegrid.js"
};
static const unsigned char url_editor_js[] = {
#embed "assets/url-editor.js"
};
static const unsigned char values_js[] = {
#embed "assets/values.js"
};
static const unsigned char views_js[] = {
#embed "assets/views.js"
};

#define FILE(name, bytes) {name, bytes, sizeof(bytes)}

static const kindred_explorer_file files[] = {
  FILE("associations.js", associations_js),
  FILE("cells.js", cells_js),
  FILE("changes.js", changes_js),
  FILE("chart.js", chart_js),
  FILE("chips.js", chips_js),
  FILE("code-view.js", code_view_js),
  FILE("completions.js", completions_js),
  FILE("copying.js", copying_js),
  FILE("diagram.js", diagram_js),
  FILE("dialog.js", dialog_js),
  FILE("dom.js", dom_js),
  FILE("editing.js", editing_js),
  FILE("edits.js", edits_js),
  FILE("endless.js", endless_js),
  FILE("explorer.css", explorer_css),
  FILE("explorer.js", explorer_js),
  FILE("facet.js", facet_js),
  FILE("fields.js", fields_js),
  FILE("fragment.js", fragment_js),
  FILE("grid.js", grid_js),
  FILE("headers.js", headers_js),
  FILE("highlights.js", highlights_js),
  FILE("icon.svg", icon_svg),
  FILE("json-view.js", json_view_js),
  FILE("live.js", live_js),
  FILE("menu.js", menu_js),
  FILE("outline.js", outline_js),
  FILE("palette.js", palette_js),
  FILE("plan.js", plan_js),
  FILE("request.js", request_js),
  FILE("rows.js", rows_js),
  FILE("server.js", server_js),
  FILE("sign-in.js", sign_in_js),
  FILE("snippets.js", snippets_js),
  FILE("theme-choice.js", theme_choice_js),
  FILE("theme.js", theme_js),
  FILE("treegrid.js", treegrid_js),
  FILE("url-editor.js", url_editor_js),
  FILE("values.js", values_js),
  FILE("views.js", views_js),
};

size_t kindred_explorer_file_count(void) { return sizeof(files) / sizeof(files[0]); }

kindred_explorer_file kindred_explorer_file_at(size_t index) { return files[index]; }
