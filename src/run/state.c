/* SPDX-License-Identifier: MIT */
/* The states of a run, and the moves between them. */
#include "run/state.h"

#include "base/error.h"

enum { STATES = TACIT_RUN_DEAD + 1 };

/* may[a][b] is 1 if a run in state a may move to state b. */
static const unsigned char may[STATES][STATES] = {
    [TACIT_RUN_BETWEEN] =
        {
            [TACIT_RUN_OPEN] = 1,
            [TACIT_RUN_COMPARING] = 1,
            [TACIT_RUN_COMPLETE] = 1, /* ask skips the rows of a complete checkpoint */
            [TACIT_RUN_DEAD] = 1,
        },
    [TACIT_RUN_OPEN] =
        {
            [TACIT_RUN_BETWEEN] = 1,
            [TACIT_RUN_COMPLETE] = 1,
            [TACIT_RUN_DEAD] = 1,
        },
    [TACIT_RUN_COMPARING] =
        {
            [TACIT_RUN_BETWEEN] = 1,
            [TACIT_RUN_COMPLETE] = 1,
            [TACIT_RUN_DEAD] = 1,
        },
    [TACIT_RUN_COMPLETE] =
        {
            [TACIT_RUN_BETWEEN] = 1, /* the rows of a complete checkpoint come again */
            [TACIT_RUN_ENDED] = 1,
            [TACIT_RUN_DEAD] = 1,
        },
    /* TACIT_RUN_ENDED and TACIT_RUN_DEAD are final. */
};

tacit_status tacit_run_enter(tacit_run_state *state, tacit_run_state next,
                             tacit_error *err) {
  static const char *const names[STATES] = {
      "between rounds", "in a round", "comparing rows", "complete", "ended", "dead"};
  if (!may[*state][next]) {
    return tacit_fail(err, TACIT_ESTATE, "a run that is %s cannot become %s",
                      names[*state], names[next]);
  }
  *state = next;
  return TACIT_OK;
}

int tacit_run_is_open(tacit_run_state state) {
  return state == TACIT_RUN_OPEN || state == TACIT_RUN_COMPARING;
}

tacit_status tacit_run_alive(tacit_run_state state, tacit_error *err) {
  if (state != TACIT_RUN_ENDED && state != TACIT_RUN_DEAD) return TACIT_OK;
  return tacit_fail(err, TACIT_ESTATE, "the run has ended: start a new one");
}
