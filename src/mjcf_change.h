/* A model with other numbers as a model of its own: its text says them. */
#ifndef PLAYHEAD_MJCF_CHANGE_H
#define PLAYHEAD_MJCF_CHANGE_H

#include "mj.h"
#include "model.h"

/* What `is` has otherwise than the compiled `model`, of options and of friction of geoms and pairs,
 * goes into the text; what does not fit into one is no model of its own: the text must compile to
 * `is`, bit for bit. *out is the caller's. PH_EMISMATCH: it does not. PH_EMODEL, PH_ENOMEM. */
ph_status ph_mjcf_change(ph_model **out, const ph_model *model, const mjModel *is);

#endif
