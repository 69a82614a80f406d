// Written by Tests/Explorer/embed-assets.
#include "CKindredExplorer.h"

// `#embed` is part of C23 (ISO/IEC 9899:2024, 6.10.4); clang supports it in all modes.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char action_form_js[] = {
#embed "assets/action-form.js"
};
static const unsigned char answers_js[] = {
#embed "assets/answers.js"
};
static const unsigned char associations_js[] = {
#embed "assets/associations.js"
};
static const unsigned char cells_js[] = {
#embed "assets/cells.js"
};
static const unsigned char change_list_js[] = {
#embed "assets/change-list.js"
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
static const unsigned char copying_js[] = {
#embed "assets/copying.js"
};
static const unsigned char counting_js[] = {
#embed "assets/counting.js"
};
static const unsigned char diagram_js[] = {
#embed "assets/diagram.js"
};
static const unsigned char dom_js[] = {
#embed "assets/dom.js"
};
static const unsigned char editing_css[] = {
#embed "assets/editing.css"
};
static const unsigned char editing_js[] = {
#embed "assets/editing.js"
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
static const unsigned char filter_builder_js[] = {
#embed "assets/filter-builder.js"
};
static const unsigned char grid_js[] = {
#embed "assets/grid.js"
};
static const unsigned char headers_js[] = {
#embed "assets/headers.js"
};
static const unsigned char history_js[] = {
#embed "assets/history.js"
};
static const unsigned char icon_svg[] = {
#embed "assets/icon.svg"
};
static const unsigned char importing_js[] = {
#embed "assets/importing.js"
};
static const unsigned char json_view_js[] = {
#embed "assets/json-view.js"
};
static const unsigned char json_js[] = {
#embed "assets/json.js"
};
static const unsigned char kept_requests_js[] = {
#embed "assets/kept-requests.js"
};
static const unsigned char kept_state_js[] = {
#embed "assets/kept-state.js"
};
static const unsigned char live_js[] = {
#embed "assets/live.js"
};
static const unsigned char matches_js[] = {
#embed "assets/matches.js"
};
static const unsigned char menu_js[] = {
#embed "assets/menu.js"
};
static const unsigned char outline_js[] = {
#embed "assets/outline.js"
};
static const unsigned char page_view_js[] = {
#embed "assets/page-view.js"
};
static const unsigned char palette_js[] = {
#embed "assets/palette.js"
};
static const unsigned char parameter_form_js[] = {
#embed "assets/parameter-form.js"
};
static const unsigned char plan_js[] = {
#embed "assets/plan.js"
};
static const unsigned char record_form_js[] = {
#embed "assets/record-form.js"
};
static const unsigned char request_js[] = {
#embed "assets/request.js"
};
static const unsigned char selecting_js[] = {
#embed "assets/selecting.js"
};
static const unsigned char server_js[] = {
#embed "assets/server.js"
};
static const unsigned char sign_in_js[] = {
#embed "assets/sign-in.js"
};
static const unsigned char staged_changes_js[] = {
#embed "assets/staged-changes.js"
};
static const unsigned char theme_choice_js[] = {
#embed "assets/theme-choice.js"
};
static const unsigned char theme_js[] = {
#embed "assets/theme.js"
};
static const unsigned char toolbar_js[] = {
#embed "assets/toolbar.js"
};
static const unsigned char treegrid_js[] = {
#embed "assets/treegrid.js"
};
static const unsigned char trouble_js[] = {
#embed "assets/trouble.js"
};
static const unsigned char url_editor_js[] = {
#embed "assets/url-editor.js"
};
static const unsigned char views_js[] = {
#embed "assets/views.js"
};

#define FILE(name, bytes) {name, bytes, sizeof(bytes)}

static const kindred_explorer_file files[] = {
  FILE("action-form.js", action_form_js),
  FILE("answers.js", answers_js),
  FILE("associations.js", associations_js),
  FILE("cells.js", cells_js),
  FILE("change-list.js", change_list_js),
  FILE("chart.js", chart_js),
  FILE("chips.js", chips_js),
  FILE("code-view.js", code_view_js),
  FILE("copying.js", copying_js),
  FILE("counting.js", counting_js),
  FILE("diagram.js", diagram_js),
  FILE("dom.js", dom_js),
  FILE("editing.css", editing_css),
  FILE("editing.js", editing_js),
  FILE("endless.js", endless_js),
  FILE("explorer.css", explorer_css),
  FILE("explorer.js", explorer_js),
  FILE("facet.js", facet_js),
  FILE("fields.js", fields_js),
  FILE("filter-builder.js", filter_builder_js),
  FILE("grid.js", grid_js),
  FILE("headers.js", headers_js),
  FILE("history.js", history_js),
  FILE("icon.svg", icon_svg),
  FILE("importing.js", importing_js),
  FILE("json-view.js", json_view_js),
  FILE("json.js", json_js),
  FILE("kept-requests.js", kept_requests_js),
  FILE("kept-state.js", kept_state_js),
  FILE("live.js", live_js),
  FILE("matches.js", matches_js),
  FILE("menu.js", menu_js),
  FILE("outline.js", outline_js),
  FILE("page-view.js", page_view_js),
  FILE("palette.js", palette_js),
  FILE("parameter-form.js", parameter_form_js),
  FILE("plan.js", plan_js),
  FILE("record-form.js", record_form_js),
  FILE("request.js", request_js),
  FILE("selecting.js", selecting_js),
  FILE("server.js", server_js),
  FILE("sign-in.js", sign_in_js),
  FILE("staged-changes.js", staged_changes_js),
  FILE("theme-choice.js", theme_choice_js),
  FILE("theme.js", theme_js),
  FILE("toolbar.js", toolbar_js),
  FILE("treegrid.js", treegrid_js),
  FILE("trouble.js", trouble_js),
  FILE("url-editor.js", url_editor_js),
  FILE("views.js", views_js),
};

size_t kindred_explorer_file_count(void) { return sizeof(files) / sizeof(files[0]); }

kindred_explorer_file kindred_explorer_file_at(size_t index) { return files[index]; }
