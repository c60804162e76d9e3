#include "mjcf.h"

#include <string.h>

#include "fail.h"
#include "mjcf_tree.h"

static bool plain_name(const char *name) {
  size_t n = strlen(name);
  return n > 0 && n < 100 && name[0] != '.' &&
         strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-.") == n;
}

static ph_status check_assets(const ph_source *source) {
  for (size_t i = 0; i < source->nassets; i++) {
    if (!plain_name(source->assets[i].name))
      return ph_fail(PH_EREFUSED, "stored model: asset %s: not a plain lower-case file name",
                     source->assets[i].name);
    for (size_t k = 0; k < i; k++)
      if (strcmp(source->assets[k].name, source->assets[i].name) == 0)
        return ph_fail(PH_EREFUSED, "stored model: asset %s: stored twice", source->assets[i].name);
  }
  return PH_OK;
}

static ph_status check_file(const ph_source *source, const xmlNode *node,
                            const ph_mjcf_rule *rule) {
  ph_status status = PH_OK;
  char *file = ph_xml_get(node, rule->attribute);
  bool found = file && !*file;
  for (size_t i = 0; file && !found && i < source->nassets; i++)
    found = strcmp(source->assets[i].name, file) == 0;
  if (!found)
    status = ph_fail(PH_EREFUSED, "stored model: line %ld: %s of <%s> asks for %s: not stored",
                     xmlGetLineNo(node), rule->attribute, rule->element, file ? file : "?");
  xmlFree(file);
  return status;
}

static ph_status check_element(void *arg, xmlNode *node) {
  const ph_source *source = arg;
  ph_status status = ph_mjcf_check_names("stored model", node);
  if (status == PH_OK && ph_xml_is(node, "include"))
    status = ph_fail(PH_EREFUSED, "stored model: line %ld: includes a file", xmlGetLineNo(node));
  for (int i = 0; status == PH_OK && ph_xml_is(node, "compiler") && i < PH_FOLDER_COUNT; i++)
    if (ph_xml_has(node, ph_mjcf_folders[i]))
      status = ph_fail(PH_EREFUSED, "stored model: line %ld: names a folder by %s",
                       xmlGetLineNo(node), ph_mjcf_folders[i]);
  for (const xmlAttr *attr = node->properties; status == PH_OK && attr; attr = attr->next) {
    const ph_mjcf_rule *rule;
    status = ph_mjcf_rule_of(&rule, node, attr, "stored model");
    if (status == PH_OK && rule)
      status = check_file(source, node, rule);
  }
  return status;
}

ph_status ph_mjcf_check(const ph_source *source) {
  xmlDoc *doc = NULL;
  ph_xml_enter();
  ph_status status = ph_xml_parse(&doc, source->xml, source->xml_size, "stored model");
  if (status == PH_OK)
    status = ph_mjcf_check_root(doc, "stored model");
  if (status == PH_OK)
    status = check_assets(source);
  if (status == PH_OK)
    status = ph_xml_walk(xmlDocGetRootElement(doc), "stored model", check_element, (void *)source);
  xmlFreeDoc(doc);
  ph_xml_leave();
  return status;
}
