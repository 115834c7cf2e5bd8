# SPDX-License-Identifier: MIT

# What a family means for the library: its name, whether the label has classes, the loss.
family_of <- function(family, tau = 0.5) {
  if (is.function(family)) family <- family()
  name <- if (inherits(family, "family")) family$family else family
  if (inherits(family, "family")) {
    usual <- c(binomial = "logit", gaussian = "identity", poisson = "log")
    if (name %in% names(usual) && family$link != usual[[name]])
      refuse("family ", name, " has the link ", usual[[name]], " here, not ", family$link)
  }
  known <- list(gaussian = "squared", binomial = "logistic", poisson = "poisson", huber = "huber",
                quantile = sprintf("quantile:tau=%.15g", tau), multinomial = "softmax")
  if (!is.character(name) || length(name) != 1 || is.null(known[[name]]))
    refuse("family is one of: ", paste(names(known), collapse = ", "))
  list(name = name, loss = known[[name]], classes = name %in% c("binomial", "multinomial"))
}

# The columns that a schema uses, as plain columns of a data frame. Times become dates of their zone.
needed_columns <- function(data, json, label = TRUE) {
  if (!is.data.frame(data)) refuse("data must be a data.frame")
  schema <- jsonlite::fromJSON(json, simplifyVector = FALSE)
  names <- vapply(schema$columns, function(column) column$name, "")
  if (label) names <- c(names, schema$label$column, schema$unit, schema$weight$column)
  names <- unique(names)
  absent <- setdiff(names, names(data))
  if (length(absent) > 0) raise("data", paste0("the data have no column ", paste(absent, collapse = ", ")))
  frame <- unclass(data)[names]
  times <- vapply(frame, inherits, NA, "POSIXct")
  frame[times] <- lapply(frame[times], function(x) as.Date(x, tz = if (is.null(attr(x, "tzone"))) "" else attr(x, "tzone")[1]))
  frame
}

settings_of <- function(family, schema, epsilon, delta, seed, options, leaks) {
  settings <- list(epsilon = epsilon, loss = family$loss)
  if (!is.null(delta)) settings <- c(settings, delta = delta, pure = delta == 0)
  if (!schema$bias) settings$bias <- FALSE
  if (!is.null(seed)) settings <- c(settings, seeded = TRUE, seed = seed)
  if (length(leaks) > 0) settings$leaks <- substr(paste(leaks, collapse = "; "), 1, 200)
  utils::modifyList(settings, options)
}

payment_of <- function(budget) {
  if (is.null(budget)) return(NULL)
  if (!inherits(budget, "tacit_budget")) refuse("budget must be tacit_budget(\"budget.db\", \"dataset\")")
  list(budget$where, budget$dataset)
}

# A bar in long runs: off in scripts, and while knitr makes a page.
bar_of <- function(verbose) {
  if (!isTRUE(verbose)) return(NULL)
  bar <- NULL
  started <- proc.time()[["elapsed"]]
  list(step = function(round, rounds, share) {
    if (is.null(bar) && proc.time()[["elapsed"]] - started > 1) bar <<- utils::txtProgressBar(style = 3, file = stderr())
    if (!is.null(bar)) utils::setTxtProgressBar(bar, share)
  }, close = function() if (!is.null(bar)) close(bar))
}

#' Fits a model privately.
tacit <- function(formula, data, epsilon, bounds = list(), levels = list(), family = stats::gaussian(), delta = NULL,
                  groups = NULL, weights = NULL, schema = NULL, budget = NULL, missing = c("error", "own"), tau = 0.5,
                  seed = NULL, options = list(), leak = c("refuse", "allow"), subset,
                  verbose = interactive() && !isTRUE(getOption("knitr.in.progress"))) {
  call <- match.call()
  if (!missing(subset))
    refuse("subset is refused: choose the rows before the budget is spent, by a rule that everybody may know")
  if (missing(epsilon) && is.null(options$rho)) refuse("epsilon is missing: the privacy budget of this fit; 1 is usual")
  if (!is.data.frame(data)) refuse("data must be a data.frame")
  family <- family_of(family, tau)
  leaks <- if (match.arg(leak) == "allow") notes()
  if (is.null(schema)) schema <- make_schema(formula, data, bounds, levels, family, groups, weights, match.arg(missing), leaks)
  else if (is.character(schema)) schema <- tacit_schema(file = schema)
  settings <- settings_of(family, schema, if (missing(epsilon)) NULL else epsilon, delta, seed, options,
                          if (!is.null(leaks)) leaks$all() else schema$leaks)
  bar <- bar_of(verbose)
  if (!is.null(bar)) on.exit(bar$close())
  model <- .Call(C_train, settings[!vapply(settings, is.null, NA)], schema$json, needed_columns(data, schema$json),
                 payment_of(budget), if (!is.null(bar)) bar$step)
  fit_of(model, call = call, formula = if (missing(formula)) NULL else formula, family = family, rows = nrow(data))
}

# A fit: the model as text, so that it survives saveRDS, and what every method needs.
fit_of <- function(model, call, formula = NULL, family = NULL, rows = NULL) {
  facts <- .Call(C_model_facts, model)
  text <- .Call(C_model_text, model)
  read <- jsonlite::fromJSON(text, simplifyVector = FALSE)
  if (is.null(family)) {
    name <- c(squared = "gaussian", logistic = "binomial", poisson = "poisson", softmax = "multinomial",
              quantile = "quantile", huber = "huber")[[sub(":.*", "", facts$loss)]]
    family <- family_of(name)
  }
  structure(class = "tacit", list(
    call = call, formula = formula, family = family, json = text, facts = facts, handle = handle_of(model),
    schema = read$schema, statement = jsonlite::fromJSON(facts$statement_json, simplifyVector = FALSE), rows = rows))
}

handle_of <- function(model) { keeper <- new.env(parent = emptyenv()); keeper$model <- model; keeper }

# The model of a fit; one that was saved with saveRDS is read again.
model_of <- function(fit) {
  if (!inherits(fit, "tacit")) refuse("fit must be a fit of tacit(), tacit_infer() or tacit_load()")
  if (.Call(C_model_is_gone, fit$handle$model)) fit$handle$model <- .Call(C_model_parse, fit$json)
  fit$handle$model
}

#' Saves and loads models: the files of the command line and of Python.
tacit_save <- function(fit, path) invisible(.Call(C_model_save, model_of(fit), path.expand(path)))
tacit_load <- function(path) fit_of(.Call(C_model_load, path.expand(path)), call = match.call())

#' The noise to expect, before any row is read.
tacit_plan <- function(formula, data, epsilon, rows = nrow(data), bounds = list(), levels = list(),
                       family = stats::gaussian(), delta = NULL, groups = NULL, persons = NULL, schema = NULL,
                       missing = c("error", "own"), tau = 0.5, options = list()) {
  family <- family_of(family, tau)
  if (is.null(schema)) schema <- make_schema(formula, data, bounds, levels, family, groups, NULL, match.arg(missing), NULL)
  else if (is.character(schema)) schema <- tacit_schema(file = schema)
  settings <- settings_of(family, schema, epsilon, delta, NULL, options, NULL)
  settings$rows <- rows
  if (!is.null(persons)) settings$units <- persons
  plan <- .Call(C_plan, settings, schema$json)
  structure(c(plan[c("text", "statement")], jsonlite::fromJSON(plan$json)), class = "tacit_plan")
}

print.tacit_plan <- function(x, ...) {
  cat(x$text, "\n", x$statement, "\n", sep = "")
  invisible(x)
}

tacit_version <- function() .Call(C_version)
