/* SPDX-License-Identifier: MIT */
#ifndef TACIT_RUN_STATE_H
#define TACIT_RUN_STATE_H

#include <tacit/status.h>

/* The state of a run. Every change goes through tacit_run_enter. */
typedef enum tacit_run_state {
  TACIT_RUN_BETWEEN,   /* before the first round, or between two rounds */
  TACIT_RUN_OPEN,      /* a round is open: its rows are added up */
  TACIT_RUN_COMPARING, /* a round of a checkpoint is open: its rows are only compared */
  TACIT_RUN_COMPLETE,  /* all rounds are released and all rows were seen */
  TACIT_RUN_ENDED,     /* the model was handed out */
  TACIT_RUN_DEAD       /* an error occurred: nothing comes out any more */
} tacit_run_state;

/* Moves to the next state. Returns TACIT_ESTATE and changes nothing if the table of
   state.c does not allow the move. */
tacit_status tacit_run_enter(tacit_run_state *state, tacit_run_state next,
                             tacit_error *err);
/* Returns 1 if a round is open. */
int tacit_run_is_open(tacit_run_state state);
/* Returns TACIT_ESTATE if the run has ended or is dead. */
tacit_status tacit_run_alive(tacit_run_state state, tacit_error *err);

#endif
