// The cart that tests of cutting record.
#ifndef CUT_CART_H
#define CUT_CART_H

#include "cli_help.h"

namespace cut_help {

/* A cart that is pushed on, off and on again: success breaks once, and holds for good later. */
const char kCart[] =
    "return { name = 'cart', model = 'cart.xml', control_steps = 2, hold_seconds = 0.1,\n"
    "  max_steps = 200, success = function(s) return s.joint.cart > 0.01 end,\n"
    "  reset = function(env, rng) env.qpos.cart = 0.008 + 0.001 * rng() end,\n"
    "  policy = function(s, rng) if s.time < 0.04 then return {2 + rng()} end\n"
    "    if s.time < 0.09 then return {-4} end return {4} end }\n";

} // namespace cut_help

#endif
