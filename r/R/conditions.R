# SPDX-License-Identifier: MIT
# Conditions: tacit_data_error, tacit_budget_error and so on, all of class tacit_error.

kinds <- c(TACIT_EINVAL = "argument", TACIT_ENOMEM = "memory", TACIT_EIO = "file", TACIT_EDATA = "data",
           TACIT_EBUDGET = "budget", TACIT_EPRIVACY = "privacy", TACIT_ECANCELED = "stopped",
           TACIT_ERANDOM = "randomness", TACIT_ESTATE = "state")

# The C functions call this one with the name of a status.
raise <- function(status, message, call = NULL) {
  kind <- if (status %in% names(kinds)) kinds[[status]] else status
  stop(structure(class = c(paste0("tacit_", kind, "_error"), "tacit_error", "error", "condition"),
                 list(message = message, call = call)))
}

refuse <- function(...) raise("argument", paste0(...))
# What is not declared is never read from the data.
undeclared <- function(...) raise("undeclared", paste0(...))
not_private <- function(...) raise("privacy", paste0(...))
