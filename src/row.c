#include <playhead/sim.h>

/* X(column, member, type of its elements): what a row can carry. */
#define ROW_LIST(X)                                                                                \
  X(STATES, state, double)                                                                         \
  X(WARMSTART, warmstart, double)                                                                  \
  X(CTRL, ctrl, double)                                                                            \
  X(PREDICATE, predicate, uint8_t)                                                                 \
  X(MOCAP_POS, mocap_pos, double)                                                                  \
  X(MOCAP_QUAT, mocap_quat, double)                                                                \
  X(USERDATA, userdata, double)                                                                    \
  X(EQ_ACTIVE, eq_active, uint8_t)                                                                 \
  X(PLUGIN_STATE, plugin_state, double)                                                            \
  X(QFRC_APPLIED, qfrc_applied, double)                                                            \
  X(XFRC_APPLIED, xfrc_applied, double)                                                            \
  X(ACTION_STATE, action_state, double)

const void *ph_row_column(const ph_row *row, ph_column col) {
  switch (col) {
#define ROW_GET(id, member, type)                                                                  \
  case PH_COL_##id:                                                                                \
    return row->member;
    ROW_LIST(ROW_GET)
#undef ROW_GET
  default:
    return NULL;
  }
}

void ph_row_set_column(ph_row *row, ph_column col, const void *data) {
  switch (col) {
#define ROW_SET(id, member, type)                                                                  \
  case PH_COL_##id:                                                                                \
    row->member = (const type *)data;                                                              \
    break;
    ROW_LIST(ROW_SET)
#undef ROW_SET
  default:
    break;
  }
}
