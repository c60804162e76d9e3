#include "mjcf_change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <playhead/number.h>

#include "fail.h"
#include "mj_words.h"
#include "mjcf_files.h"
#include "mjcf_tree.h"

struct changing {
  const mjModel *was, *is;
  int geoms, pairs; /* met so far, in the engine's order */
};

static ph_status set_numbers(xmlNode *node, const char *name, const mjtNum *x, int n) {
  char text[5 * (PH_NUMBER_SIZE + 1)] = "";
  for (int i = 0, at = 0; i < n; i++) {
    if (i > 0)
      text[at++] = ' ';
    at += (int)ph_number_text(text + at, x[i]);
  }
  return ph_xml_set(node, name, text);
}

/* --- friction --- */

static ph_status change_geom(struct changing *c, xmlNode *node) {
  int i = c->geoms++;
  if (i >= (int)c->is->ngeom ||
      memcmp(&c->was->geom_friction[3 * i], &c->is->geom_friction[3 * i], 3 * sizeof(mjtNum)) == 0)
    return PH_OK;
  return set_numbers(node, "friction", &c->is->geom_friction[3 * i], 3);
}

static ph_status change_pair(struct changing *c, xmlNode *node) {
  int i = c->pairs++;
  if (i >= (int)c->is->npair ||
      memcmp(&c->was->pair_friction[5 * i], &c->is->pair_friction[5 * i], 5 * sizeof(mjtNum)) == 0)
    return PH_OK;
  return set_numbers(node, "friction", &c->is->pair_friction[5 * i], 5);
}

/* The engine numbers the geoms of a body before those of the bodies in it. */
static ph_status change_body(struct changing *c, xmlNode *body, int depth) {
  ph_status status = depth < PH_XML_DEPTH ? PH_OK : ph_fail(PH_EFORMAT, "model: nested too deep");
  for (xmlNode *node = ph_xml_first(body); node && status == PH_OK;
       node = xmlNextElementSibling(node))
    if (ph_xml_is(node, "geom"))
      status = change_geom(c, node);
  for (xmlNode *node = ph_xml_first(body); node && status == PH_OK;
       node = xmlNextElementSibling(node))
    if (ph_xml_is(node, "body"))
      status = change_body(c, node, depth + 1);
  return status;
}

static ph_status change_friction(struct changing *c, xmlNode *root) {
  ph_status status = PH_OK;
  for (xmlNode *node = ph_xml_first(root); node && status == PH_OK;
       node = xmlNextElementSibling(node)) {
    if (ph_xml_is(node, "worldbody"))
      status = change_body(c, node, 0);
    for (xmlNode *pair = ph_xml_is(node, "contact") ? ph_xml_first(node) : NULL;
         pair && status == PH_OK; pair = xmlNextElementSibling(pair))
      if (ph_xml_is(pair, "pair"))
        status = change_pair(c, pair);
  }
  return status;
}

/* --- options --- */

static ph_status set_word(xmlNode *node, const char *name, int is, int was) {
  const char *word = is == was ? NULL : ph_mj_word_of(name, is);
  return word ? ph_xml_set(node, name, word) : PH_OK;
}

static ph_status set_whole(xmlNode *node, const char *name, int is, int was) {
  mjtNum value = is;
  return is == was ? PH_OK : set_numbers(node, name, &value, 1);
}

/* A later section of options overrules an earlier one, attribute by attribute. */
static ph_status change_options(const struct changing *c, xmlNode *root) {
  const mjOption *was = &c->was->opt, *is = &c->is->opt;
  if (memcmp(was, is, sizeof *is) == 0)
    return PH_OK;
  xmlNode *node = xmlNewChild(root, NULL, BAD_CAST "option", NULL);
  ph_status status = node ? PH_OK : ph_fail(PH_ENOMEM, "model: no memory");
  if (status == PH_OK && is->timestep != was->timestep)
    status = set_numbers(node, "timestep", &is->timestep, 1);
  if (status == PH_OK && is->tolerance != was->tolerance)
    status = set_numbers(node, "tolerance", &is->tolerance, 1);
  if (status == PH_OK && memcmp(is->gravity, was->gravity, sizeof is->gravity) != 0)
    status = set_numbers(node, "gravity", is->gravity, 3);
  if (status == PH_OK)
    status = set_word(node, "solver", is->solver, was->solver);
  if (status == PH_OK)
    status = set_word(node, "integrator", is->integrator, was->integrator);
  if (status == PH_OK)
    status = set_word(node, "cone", is->cone, was->cone);
  if (status == PH_OK)
    status = set_whole(node, "iterations", is->iterations, was->iterations);
#if mjVERSION_HEADER >= 300
  if (status == PH_OK)
    status = set_whole(node, "ls_iterations", is->ls_iterations, was->ls_iterations);
#endif
  return status;
}

/* --- the source --- */

static ph_status write_text(ph_source *source, xmlDoc *doc) {
  xmlChar *text = NULL;
  int size = 0;
  xmlDocDumpMemory(doc, &text, &size);
  source->xml = text && size > 0 ? malloc((size_t)size + 1) : NULL;
  if (source->xml) {
    memcpy(source->xml, text, (size_t)size);
    source->xml[size] = 0;
    source->xml_size = (size_t)size;
  }
  xmlFree(text);
  return source->xml ? PH_OK : ph_fail(PH_ENOMEM, "model: no memory");
}

static ph_status change_text(ph_source *out, const ph_source *from, struct changing *c) {
  xmlDoc *doc = NULL;
  ph_xml_enter();
  ph_status status = ph_xml_parse(&doc, from->xml, from->xml_size, "model");
  xmlNode *root = status == PH_OK ? xmlDocGetRootElement(doc) : NULL;
  if (root)
    status = change_friction(c, root);
  if (root && status == PH_OK)
    status = change_options(c, root);
  if (root && status == PH_OK)
    status = write_text(out, doc);
  xmlFreeDoc(doc);
  ph_xml_leave();
  return status;
}

static ph_status copy_blob(ph_blob **blobs, size_t *n, const char *name, const void *data,
                           size_t size) {
  ph_blob blob = {.name = strdup(name), .data = malloc(size + 1), .size = size};
  if (!blob.name || !blob.data) {
    free(blob.name);
    free(blob.data);
    return ph_fail(PH_ENOMEM, "model: no memory");
  }
  memcpy(blob.data, data, size);
  return ph_blobs_add(blobs, n, blob);
}

/* The text in the place of the file that it was read from: that one is the other model's. */
static ph_status copy_rest(ph_source *out, const ph_source *from) {
  const char *name = from->noriginals > 0 ? from->originals[0].name : "model.xml";
  ph_status status = copy_blob(&out->originals, &out->noriginals, name, out->xml, out->xml_size);
  for (size_t i = 0; i < from->nassets && status == PH_OK; i++)
    status = copy_blob(&out->assets, &out->nassets, from->assets[i].name, from->assets[i].data,
                       from->assets[i].size);
  for (size_t i = 0; i < from->nnotes; i++)
    ph_source_note(out, "%s", from->notes[i]);
  out->reduced = from->reduced;
  out->altered = from->altered;
  ph_source_hash(out);
  return status;
}

static ph_status same_bits(const ph_model *made, const mjModel *is) {
  ph_names names = {0};
  ph_model_facts facts;
  ph_status status = ph_mj_describe(is, &names, &facts);
  ph_names_clear(&names);
  if (status == PH_OK && strcmp(facts.compiled_sha256, made->compiled_sha256) != 0)
    status = ph_fail(PH_EMISMATCH, "the model with these numbers cannot be written as a text that "
                                   "compiles to it bit for bit");
  return status;
}

ph_status ph_mjcf_change(ph_model **out, const ph_model *model, const mjModel *is) {
  struct changing c = {.was = model->m, .is = is};
  ph_source *source = calloc(1, sizeof *source);
  *out = NULL;
  if (!source || !model->m) {
    free(source);
    return ph_fail(source ? PH_EMODEL : PH_ENOMEM, "model: it did not compile, or no memory");
  }
  ph_status status = change_text(source, model->source, &c);
  if (status == PH_OK)
    status = copy_rest(source, model->source);
  if (status != PH_OK) {
    ph_source_free(source);
    return status;
  }
  status = ph_model_from_source(out, source, NULL, NULL);
  if (status == PH_OK)
    status = same_bits(*out, is);
  if (status != PH_OK) {
    ph_model_unref(*out);
    *out = NULL;
  }
  return status;
}
