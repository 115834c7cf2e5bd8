# SPDX-License-Identifier: MIT
# Budgets, private evaluation, pages, exports, checks.

#' The budget of a data set in a ledger, shared with the command line and Python.
tacit_budget <- function(where, dataset) {
  if (!grepl("^postgresql://", where)) where <- path.expand(where)
  budget <- structure(list(where = where, dataset = dataset), class = "tacit_budget")
  budget_state(budget) # refuses a data set that the ledger does not have
  budget
}

tacit_budget_create <- function(where, dataset, epsilon, delta, adjacency = c("replace", "zero-out"), persons = FALSE,
                                in_place = FALSE) {
  numbers <- c(epsilon, delta, match.arg(adjacency) == "zero-out", persons, in_place)
  .Call(C_ledger_init, path.expand(where), dataset, as.numeric(numbers))
  tacit_budget(where, dataset)
}

budget_state <- function(budget) {
  ledger <- jsonlite::fromJSON(.Call(C_ledger_read, budget$where), simplifyVector = FALSE)
  for (set in ledger$datasets) if (identical(set$dataset, budget$dataset) || identical(set$name, budget$dataset)) return(set)
  raise("argument", paste0(budget$where, ": the ledger has no data set ", budget$dataset))
}

print.tacit_budget <- function(x, ...) {
  state <- budget_state(x)
  cat(sprintf("Budget of %s in %s: epsilon %s, spent %s, left %s (%d entries)\n", x$dataset, x$where, format(state$epsilon),
              format(state$spent_epsilon, digits = 4), format(state$left_epsilon, digits = 4), length(state$entries)))
  invisible(x)
}

#' Evaluates a fit privately on rows with labels.
tacit_evaluate <- function(fit, newdata, epsilon, delta = NULL, adjacency = c("replace", "zero-out"), budget = NULL, seed = NULL) {
  schema <- jsonlite::toJSON(fit$schema, auto_unbox = TRUE, digits = I(17), null = "null")
  numbers <- as.numeric(c(epsilon, if (is.null(delta)) 0 else delta, match.arg(adjacency) == "zero-out",
                          if (is.null(seed)) NA else seed))
  text <- .Call(C_evaluate, model_of(fit), needed_columns(newdata, schema), numbers, payment_of(budget))
  structure(c(jsonlite::fromJSON(text, simplifyVector = FALSE), list(json = text)), class = "tacit_evaluation")
}

print.tacit_evaluation <- function(x, ...) {
  cat("Private evaluation:", guarantee(x$statement), "\n")
  for (name in names(x$metrics)) with(x$metrics[[name]], cat(sprintf("  %-12s %.4g  [%.4g, %.4g]\n", name, value, low, high)))
  invisible(x)
}

#' A page for people who decide.
tacit_report <- function(fit, path, name = "model", evaluation = NULL, budget = NULL, include_not_private = FALSE) {
  paths <- character()
  if (!is.null(evaluation)) {
    paths <- tempfile(fileext = ".json")
    on.exit(unlink(paths))
    writeLines(evaluation$json, paths)
  }
  flags <- c(grepl("\\.md$", path), include_not_private)
  text <- .Call(C_report, model_of(fit), name, paths, payment_of(budget), flags)
  writeLines(text, path, useBytes = TRUE)
  invisible(path)
}

#' A fit in another language.
tacit_export <- function(fit, to = c("sql", "postgresql", "sqlite", "duckdb", "c", "onnx"), path = NULL, table = "rows") {
  to <- match.arg(to)
  kind <- c(sql = 1L, postgresql = 2L, sqlite = 3L, duckdb = 4L, c = 0L, onnx = -1L)[[to]]
  result <- .Call(C_model_export, model_of(fit), kind, table)
  if (is.null(path)) return(result)
  if (is.raw(result)) writeBin(result, path) else writeLines(result, path, useBytes = TRUE)
  invisible(path)
}

#' Compares a data frame or files with a schema. For the holder of the data: not private.
tacit_check <- function(data, schema) {
  json <- if (inherits(schema, "tacit_schema")) schema$json else tacit_schema(file = schema)$json
  if (!is.data.frame(data) && !is.character(data)) refuse("data must be a data.frame or the paths of CSV files")
  text <- .Call(C_check, if (is.data.frame(data)) needed_columns(data, json) else path.expand(data), json)
  structure(jsonlite::fromJSON(text, simplifyVector = FALSE), class = "tacit_check")
}

print.tacit_check <- function(x, ...) {
  cat("Not private: for the holder of the data.\n\n", x$rows, " rows, ", x$bad_rows, " with faults",
      if (!x$trains) ": a fit would fail", "\n\n", sep = "")
  parts <- c("missing", "below", "above", "other", "bad")
  counts <- function(column) vapply(parts, function(part) if (is.null(column[[part]])) NA_integer_ else as.integer(column[[part]]), 0L)
  columns <- c(x$columns, list(x$label))
  table <- do.call(rbind, lapply(columns, counts))
  rownames(table) <- vapply(columns, `[[`, "", "name")
  print(table, na.print = "-")
  for (class in x$label$classes) cat("\n  ", x$label$name, " = ", class$class, ": ", class$rows, " rows", sep = "")
  said <- vapply(c(x$first_faults, x$warnings), function(line) if (is.list(line)) line$message else line, "")
  cat("\n", if (length(said)) paste0("\n", said), "\n\n", x$note, sep = "")
  invisible(x)
}
