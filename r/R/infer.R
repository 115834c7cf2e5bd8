# SPDX-License-Identifier: MIT

#' Effects with intervals: a private regression table.
tacit_infer <- function(formula, data, epsilon, bounds = list(), levels = list(), family = stats::gaussian(), delta = NULL,
                        groups = NULL, schema = NULL, budget = NULL, missing = c("error", "own"),
                        adjacency = c("replace", "zero-out"), seed = NULL) {
  call <- match.call()
  if (missing(epsilon)) refuse("epsilon is missing: the privacy budget of this table; 1 is usual")
  family <- family_of(family)
  if (!family$name %in% c("gaussian", "binomial", "poisson"))
    refuse("intervals are for the families gaussian, binomial and poisson; of more classes, take one against the others")
  if (is.null(schema)) schema <- make_schema(formula, data, bounds, levels, family, groups, NULL, match.arg(missing), NULL)
  else if (is.character(schema)) schema <- tacit_schema(file = schema)
  if (!schema$bias) refuse("a table of effects has an intercept")
  numbers <- as.numeric(c(epsilon, if (is.null(delta)) 0 else delta, match.arg(adjacency) == "zero-out",
                          if (is.null(seed)) NA else seed))
  model <- .Call(C_infer, schema$json, needed_columns(data, schema$json), numbers, family$loss, payment_of(budget))
  fit <- fit_of(model, call = call, formula = if (missing(formula)) NULL else formula, family = family, rows = nrow(data))
  class(fit) <- c("tacit_infer", "tacit")
  fit
}

# The table for a level, as the library computes it.
table_of <- function(fit, level = 0.95) {
  text <- .Call(C_effects, model_of(fit), level, 1L)
  jsonlite::fromJSON(text, simplifyVector = FALSE)
}

# One row per coefficient; NA where it is not identified.
rows_of <- function(table) {
  lines <- c(if (!is.null(table$intercept)) list(table$intercept), table$coefficients)
  lines <- Filter(function(line) line$state != "reference", lines)
  take <- function(name) vapply(lines, function(line) if (is.null(line[[name]])) NA_real_ else as.numeric(line[[name]]), 0)
  # The parts of the error of an intercept are not told apart.
  lines[vapply(lines, `[[`, "", "name") == "intercept"] <-
    lapply(Filter(function(line) line$name == "intercept", lines), utils::modifyList, list(se_sampling = NULL, se_privacy = NULL))
  columns <- lapply(c("estimate", "se", "se_sampling", "se_privacy", "df", "z", "p", "low", "high", "rows_needed"), take)
  names(columns) <- c("estimate", "std.error", "sampling", "privacy", "df", "statistic", "p.value", "conf.low", "conf.high", "rows.needed")
  data.frame(term = vapply(lines, `[[`, "", "name"), state = vapply(lines, `[[`, "", "state"), columns, stringsAsFactors = FALSE)
}

coef.tacit_infer <- function(object, ...) with(rows_of(table_of(object)), stats::setNames(estimate, term))

vcov.tacit_infer <- function(object, ...) {
  table <- table_of(object)
  # The triangle has a row for the intercept and for every coefficient that rows were counted for.
  lines <- c(list(list(name = "intercept", state = "identified")), table$coefficients)
  states <- vapply(lines, `[[`, "", "state")
  lines <- lines[states %in% c("identified", "not identified")]
  names <- vapply(lines, `[[`, "", "name")
  result <- matrix(0, length(names), length(names), dimnames = list(names, names))
  result[upper.tri(result, diag = TRUE)] <- unlist(table$covariance) # the lower triangle by rows is the upper by columns
  result[lower.tri(result)] <- t(result)[lower.tri(result)]
  shown <- vapply(lines, `[[`, "", "state") == "identified"
  if (is.null(table$intercept)) shown[1] <- FALSE
  result[shown, shown, drop = FALSE]
}

confint.tacit_infer <- function(object, parm, level = 0.95, ...) {
  rows <- rows_of(table_of(object, level))
  sides <- paste(format(100 * c((1 - level) / 2, (1 + level) / 2), trim = TRUE), "%")
  result <- matrix(c(rows$conf.low, rows$conf.high), ncol = 2, dimnames = list(rows$term, sides))
  if (missing(parm)) result else result[parm, , drop = FALSE]
}

print.tacit_infer <- function(x, ...) {
  cat("Private table of effects, family", x$family$name, if (!is.null(x$formula)) paste0(": ", deparse1(x$formula)), "\n")
  cat("  guarantee  ", guarantee(x$statement), "\n\n", sep = "")
  rows <- rows_of(table_of(x))
  print(cbind(Estimate = stats::setNames(signif(rows$estimate, 4), rows$term)), na.print = "not identified")
  cat("\nsummary() has the intervals.\n")
  invisible(x)
}

summary.tacit_infer <- function(object, level = 0.95, ...) {
  table <- table_of(object, level)
  structure(class = "summary.tacit_infer", list(call = object$call, rows = rows_of(table), level = level, table = table,
                                                statement = object$statement))
}

print.summary.tacit_infer <- function(x, digits = 4, ...) {
  cat("Call:\n", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  known <- x$rows[!is.na(x$rows$estimate), ]
  shown <- with(known, cbind(Estimate = estimate, `Std. Error` = std.error, sampling = sampling, privacy = privacy,
                             `z value` = statistic, `Pr(>|z|)` = p.value))
  rownames(shown) <- known$term
  if (nrow(known) > 0) stats::printCoefmat(shown, digits = digits, has.Pvalue = TRUE, P.values = TRUE, cs.ind = 1:4, tst.ind = 5,
                                           eps.Pvalue = 1e-6, na.print = "-")
  gone <- x$rows[is.na(x$rows$estimate), ]
  if (nrow(gone) > 0)
    cat("\nNot identified: ", paste0(gone$term, ifelse(is.na(gone$rows.needed), "",
                                     paste0(" (about ", format(gone$rows.needed, trim = TRUE, digits = 3), " rows needed)")), collapse = ", "),
        "\n", sep = "")
  cat("\n", x$table$estimand, "\n", sep = "")
  cat("Guarantee: ", guarantee(x$statement), ". Standard errors cover the choice of the rows and the noise.\n", sep = "")
  invisible(x)
}

tidy.tacit_infer <- function(x, conf.level = 0.95, ...) rows_of(table_of(x, conf.level))
