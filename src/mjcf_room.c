/* Room for constraints. MuJoCo before 2.3.0 takes a stack that grows with njmax squared and clears
 * all of it whenever it makes or resets data: the 5000 of robosuite's models are 200 MB each time.
 * What a screen shows does not need them. */
#include "mjcf_mend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mj.h"

static ph_status bound(ph_source *source, xmlNode *size, int most) {
  char *value = ph_xml_get(size, "njmax"), *end, text[16];
  long rows = value ? strtol(value, &end, 10) : 0;
  ph_status status = PH_OK;
  if (value && *end == 0 && rows > most) {
    snprintf(text, sizeof text, "%d", most);
    status = ph_xml_set(size, "njmax", text);
    ph_source_note(source,
                   "line %ld: njmax=\"%ld\" is read as \"%d\": MuJoCo %s clears njmax^2 "
                   "numbers at every reset; with more rows of constraints forces would differ",
                   xmlGetLineNo(size), rows, most, ph_engine_version());
  }
  xmlFree(value);
  return status;
}

ph_status ph_mjcf_mend_room(xmlNode *root, ph_source *source) {
  int most = ph_mj_rows_most();
  ph_status status = PH_OK;
  for (xmlNode *child = ph_xml_first(root); most > 0 && status == PH_OK && child;
       child = xmlNextElementSibling(child))
    if (strcmp(ph_xml_name(child), "size") == 0 && !ph_xml_has(child, "nstack"))
      status = bound(source, child, most);
  return status;
}
