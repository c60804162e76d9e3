#include "info_foreign.h"

#include "../finding.h"

static json_t *shape_of(const ph_channel *c) {
  json_t *shape = json_array();
  for (int i = 0; i < c->rank && i < 4; i++)
    json_array_append_new(shape, json_integer(c->dim[i]));
  return shape;
}

static json_t *channels_of(const ph_episode *episode) {
  static const char *const kinds[] = {"numbers", "image", "other"};
  size_t n;
  const ph_channel *channels = ph_episode_channels(episode, &n);
  json_t *all = json_array();
  for (size_t i = 0; i < n; i++) {
    const ph_channel *c = &channels[i];
    json_array_append_new(all,
                          json_pack("{s:o, s:s, s:o, s:o, s:i, s:o}", "name", ph_json_text(c->name),
                                    "kind", kinds[c->kind], "type", ph_json_text(c->type), "shape",
                                    shape_of(c), "shift", c->shift, "note", ph_json_text(c->note)));
  }
  return all;
}

static json_t *findings_of(const ph_episode *episode) {
  size_t n;
  const ph_finding *findings = ph_episode_findings(episode, &n);
  json_t *all = json_array();
  for (size_t i = 0; i < n; i++)
    json_array_append_new(
        all, json_pack("{s:s, s:o, s:o}", "kind", ph_finding_name(findings[i].kind), "step",
                       report_index(findings[i].step), "text", ph_json_text(findings[i].text)));
  return all;
}

/* Names of what one would expect and is not there. */
static json_t *missing_of(const ph_episode *episode) {
  static const ph_column columns[] = {PH_COL_ACTIONS, PH_COL_REWARDS, PH_COL_DONES};
  json_t *all = json_array();
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    if (!ph_episode_has(episode, columns[i]))
      json_array_append_new(all, ph_json_text(ph_schema_column(columns[i])->path));
  if (!ph_episode_meta_of(episode)->model_sha256[0])
    json_array_append_new(all, ph_json_text("model"));
  return all;
}

/* All sentences, and that of the list of episodes, which may be cut, where none of them is it. */
static json_t *oddities_of(const ph_episode *episode, const char *listed) {
  size_t n;
  const ph_finding *findings = ph_episode_findings(episode, &n);
  const char *unsaid = ph_unsaid(listed, findings, n);
  json_t *all = json_array();
  for (size_t i = 0; i < n; i++)
    if (findings[i].kind == PH_FINDING_ODDITY)
      json_array_append_new(all, ph_json_text(findings[i].text));
  if (unsaid[0])
    json_array_append_new(all, ph_json_text(unsaid));
  return all;
}

static json_t *text_or_null(const char *text) {
  return text[0] ? ph_json_text(text) : json_null();
}

void foreign_episode_keys(json_t *to, const ph_episode *episode, const char *oddity) {
  const ph_episode_meta *m = ph_episode_meta_of(episode);
  json_object_set_new(to, "missing", missing_of(episode));
  json_object_set_new(to, "oddities", oddities_of(episode, oddity));
  json_object_set_new(to, "file", ph_json_text(m->file));
  json_object_set_new(to, "layout", ph_json_text(m->layout));
  json_object_set_new(to, "writer", text_or_null(m->writer));
  json_object_set_new(to, "created", text_or_null(m->created));
  json_object_set_new(to, "env_name", text_or_null(m->env_name));
  json_object_set_new(to, "instruction", text_or_null(m->instruction));
  json_object_set_new(to, "controller", text_or_null(m->controller));
  json_object_set_new(to, "control_dt",
                      m->control_dt > 0 ? ph_json_number(m->control_dt) : json_null());
  json_object_set_new(to, "rate_source", text_or_null(m->rate_source));
  json_object_set_new(to, "success_source", text_or_null(m->success_source));
  json_object_set_new(to, "model_sha256", text_or_null(m->model_sha256));
  json_object_set_new(to, "findings", findings_of(episode));
  json_object_set_new(to, "channels", channels_of(episode));
}

json_t *foreign_groups(const ph_store *store) {
  json_t *all = json_array();
  for (size_t g = 0; g < ph_store_groups(store); g++) {
    json_int_t n = 0;
    for (size_t i = 0; i < ph_store_count(store); i++)
      n += ph_store_in_group(store, g, i);
    json_array_append_new(all, json_pack("{s:o, s:I}", "name",
                                         ph_json_text(ph_store_group(store, g)), "episodes", n));
  }
  return all;
}

json_t *foreign_notes(const ph_model *model) {
  const char *note;
  json_t *all = json_array();
  for (size_t i = 0; (note = ph_model_note(model, i)); i++)
    json_array_append_new(all, ph_json_text(note));
  return all;
}
