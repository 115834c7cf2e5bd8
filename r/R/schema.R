# SPDX-License-Identifier: MIT
# From a formula and declarations to a schema. Nothing here reads a value of the data but the class of a
# column, which is a fact of the table and not of a person; `leak = "allow"` reads bounds and levels, and
# says so.

maps <- c("log", "log1p", "sqrt")

# The terms of the right-hand side, as calls, without "+" and parentheses.
terms_of <- function(side) {
  if (is.call(side) && identical(side[[1]], quote(`+`)))
    return(if (length(side) == 2) terms_of(side[[2]]) else c(terms_of(side[[2]]), terms_of(side[[3]])))
  if (is.call(side) && identical(side[[1]], quote(`(`))) return(terms_of(side[[2]]))
  if (is.call(side) && identical(side[[1]], quote(`-`)) && length(side) == 3 && identical(side[[3]], 1))
    return(c(terms_of(side[[2]]), list(quote(none))))
  if (is.call(side) && identical(side[[1]], quote(`*`)))
    return(c(terms_of(side[[2]]), terms_of(side[[3]]), list(call(":", side[[2]], side[[3]]))))
  list(side)
}

columns_of_cross <- function(term) {
  if (is.name(term)) return(as.character(term))
  if (is.call(term) && identical(term[[1]], quote(`:`)))
    return(c(columns_of_cross(term[[2]]), columns_of_cross(term[[3]])))
  refuse("a cross is of columns, a:b; this is not: ", deparse1(term))
}

# A plan of the columns: list(columns = list(name = list(kind, ...)), crosses, bias).
read_terms <- function(formula, env) {
  found <- list(columns = list(), crosses = list(), bias = TRUE)
  take <- function(name, ...) if (is.null(found$columns[[name]])) found$columns[[name]] <<- list(...)
  for (term in terms_of(formula[[length(formula)]])) {
    head <- if (is.call(term)) as.character(term[[1]])[1] else ""
    if (identical(term, quote(.))) refuse("name the columns instead of '.': each one is declared and paid for")
    else if (identical(term, 1)) next
    else if (identical(term, 0) || identical(term, quote(none))) found$bias <- FALSE
    else if (is.name(term)) take(as.character(term), kind = "plain")
    else if (head == "s") { curve <- read_curve(term, env); found$columns[[curve$name]] <- curve }
    else if (head == ":") {
      found$crosses <- c(found$crosses, list(columns_of_cross(term)))
      for (name in columns_of_cross(term)) take(name, kind = "plain")
    }
    else if (head %in% maps && is.name(term[[2]])) found$columns[[as.character(term[[2]])]] <- list(kind = "plain", map = head)
    else if (head == "offset")
      refuse("offset() is refused: the bound on a row must not depend on a number that is no input. Model a rate with ",
             "weights, or subtract a known amount from the response of a gaussian model")
    else refuse("this term is not understood: ", deparse1(term), "; a term is a column, s(column, min, max), a:b, ",
                paste0(maps, "(column)", collapse = ", "))
  }
  found
}

# s(age, 0, 110, knots = 8, kind = "line"): a curve with its bounds.
read_curve <- function(term, env) {
  shape <- function(x, min = NULL, max = NULL, knots = 8, kind = c("line", "hats", "steps"), map = NULL)
    list(min = min, max = max, knots = knots, kind = match.arg(kind), map = map)
  x <- term[[2]]
  if (!is.name(x)) refuse("s() takes the name of a column, not ", deparse1(x))
  term[[1]] <- shape
  term[[2]] <- NULL
  names(term)[1] <- ""
  given <- eval(as.call(c(list(shape, NULL), as.list(term)[-1])), env)
  curve <- switch(given$kind, steps = given$knots,
                  hats = list(knots = given$knots, kind = "linear"),
                  line = list(knots = given$knots, kind = "linear", line = TRUE))
  list(name = as.character(x), kind = "curve", curve = curve, min = given$min, max = given$max, map = given$map)
}

quoted <- function(values) paste0("\"", values, "\"", collapse = ", ")

# The bounds of a column: declared, or with leak = "allow" read from the data.
bounds_of <- function(name, column, declared, asked, leaks) {
  if (!is.list(declared)) refuse("bounds must be a list: bounds = list(", name, " = c(min, max))")
  bounds <- if (!is.null(asked$min) && !is.null(asked$max)) c(asked$min, asked$max) else declared[[name]]
  if (is.null(bounds) && !is.null(leaks)) {
    leaks$add(paste("bounds of", name))
    bounds <- range(column, na.rm = TRUE)
  }
  if (is.null(bounds))
    undeclared("the bounds of ", name, " are not declared: add bounds = list(", name, " = c(min, max)), from what is ",
               "known without the data")
  if (length(bounds) != 2 || anyNA(bounds) || !(bounds[1] < bounds[2]))
    refuse("the bounds of ", name, " must be two values, the smaller first")
  if (inherits(column, c("Date", "POSIXct"))) format(as.Date(bounds)) else as.numeric(bounds)
}

levels_of <- function(name, column, declared, leaks) {
  if (!is.list(declared)) refuse("levels must be a list: levels = list(", name, " = c(\"first\", \"second\"))")
  values <- declared[[name]]
  if (is.null(values) && !is.null(leaks)) {
    leaks$add(paste("levels of", name))
    values <- if (is.factor(column)) levels(column) else sort(unique(column[!is.na(column)]))
  }
  if (is.null(values))
    undeclared("the levels of ", name, " are not declared: add levels = list(", name, " = c(\"first\", \"second\")), from ",
               "what is known without the data; levels that a factor has were found in the data")
  as.character(values)
}

# The object of the schema for one column.
describe_column <- function(name, column, asked, bounds, levels, missing, leaks) {
  if (is.null(column)) undeclared("the data have no column ", name)
  own <- if (missing == "own") list(missing = "own")
  curve <- if (asked$kind == "curve") list(curve = asked$curve)
  map <- if (!is.null(asked$map)) list(map = asked$map)
  listed <- !is.null(levels[[name]]) || is.character(column) || is.factor(column)
  if (listed && asked$kind == "curve") refuse("s(", name, ") is a curve of a number, and ", name, " has levels")
  if (listed && is.ordered(column))
    return(c(list(name = name, type = "ordinal", values = I(levels_of(name, column, levels, leaks))), own))
  if (listed) return(list(name = name, type = "category", values = I(levels_of(name, column, levels, leaks))))
  if (is.logical(column)) return(c(list(name = name, type = "bool"), own))
  if (!is.numeric(column) && !inherits(column, c("Date", "POSIXct")) || length(dim(column)))
    refuse("column ", name, " is of class ", class(column)[1], ", which is not read")
  limits <- bounds_of(name, column, bounds, asked, leaks)
  if (inherits(column, c("Date", "POSIXct")))
    return(c(list(name = name, type = "date", format = "%Y-%m-%d", min = limits[1], max = limits[2],
                  parts = I("days")), curve, own))
  c(list(name = name, type = "numeric", min = limits[1], max = limits[2]), map, curve, own)
}

describe_label <- function(name, column, family, bounds, levels, leaks) {
  if (is.null(column)) undeclared("the data have no column ", name)
  if (!family$classes) {
    limits <- if (family$name == "poisson" && length(bounds[[name]]) == 1) c(0, bounds[[name]]) else
      bounds_of(name, column, bounds, NULL, leaks)
    return(list(column = name, min = limits[1], max = limits[2]))
  }
  classes <- if (is.null(levels[[name]]) && is.logical(column)) c("FALSE", "TRUE") else
    if (is.null(levels[[name]]) && is.numeric(column) && family$name == "binomial") c("0", "1") else
      levels_of(name, column, levels, leaks)
  if (family$name == "binomial" && length(classes) != 2)
    refuse("family binomial has two classes and ", name, " has ", length(classes),
           if (length(classes) > 2) ": use family = \"multinomial\"")
  list(column = name, classes = I(classes))
}

#' A schema from a formula and declarations.
tacit_schema <- function(formula, data, bounds = list(), levels = list(), family = "gaussian", groups = NULL,
                         weights = NULL, missing = c("error", "own"), file = NULL, leak = c("refuse", "allow")) {
  if (!is.null(file)) {
    if (!file.exists(file)) raise("file", paste0(file, ": no such file"))
    text <- paste(readLines(file, warn = FALSE), collapse = "\n")
    return(structure(list(json = .Call(C_schema, text), bias = TRUE, leaks = NULL), class = "tacit_schema"))
  }
  leaks <- if (match.arg(leak) == "allow") notes()
  make_schema(formula, data, bounds, levels, family_of(family), groups, weights, match.arg(missing), leaks)
}

notes <- function() {
  said <- character()
  list(add = function(text) said <<- c(said, text), all = function() said)
}

make_schema <- function(formula, data, bounds, levels, family, groups, weights, missing, leaks) {
  if (length(formula) != 3) refuse("the formula has no response: write sick ~ age")
  response <- formula[[2]]
  if (!is.name(response)) refuse("the response is a column, not ", deparse1(response), ": transform it before")
  terms <- read_terms(formula, environment(formula))
  if (length(terms$columns) == 0) refuse("the formula has no columns beside the response")
  columns <- lapply(names(terms$columns), function(name)
    describe_column(name, data[[name]], terms$columns[[name]], bounds, levels, missing, leaks))
  name <- as.character(response)
  schema <- list(tacit_schema = 2L, label = describe_label(name, data[[name]], family, bounds, levels, leaks),
                 columns = columns)
  if (length(terms$crosses) > 0) schema$crosses <- terms$crosses
  if (!is.null(groups)) schema$unit <- one_column(groups, "groups")
  if (!is.null(weights)) schema$weight <- list(column = one_column(weights, "weights"), max = weight_max(weights, bounds))
  text <- as.character(jsonlite::toJSON(schema, auto_unbox = TRUE, digits = I(17)))
  structure(list(json = .Call(C_schema, text), bias = terms$bias, leaks = if (!is.null(leaks)) leaks$all()),
            class = "tacit_schema")
}

# groups = ~patient_id, or the name.
one_column <- function(given, what) {
  name <- if (inherits(given, "formula")) all.vars(given) else given
  if (!is.character(name) || length(name) != 1) refuse(what, " is one column: ", what, " = ~name")
  name
}

weight_max <- function(weights, bounds) {
  name <- one_column(weights, "weights")
  most <- bounds[[name]]
  if (is.null(most)) undeclared("the largest weight is not declared: add bounds = list(", name, " = max)")
  max(most)
}

print.tacit_schema <- function(x, ...) {
  schema <- jsonlite::fromJSON(x$json, simplifyVector = FALSE)
  about <- function(column) switch(column$type,
    numeric = , date = paste0("[", column$min, ", ", column$max, "]", if (!is.null(column$curve)) ", a curve",
                              if (is.character(column$map)) paste0(", ", column$map)),
    category = , ordinal = shorten(unlist(column$values)), bool = "", hashed = , text = paste(column$slots, "slots"), "")
  cat("A schema of", length(schema$columns), "columns\n")
  for (column in schema$columns) cat(sprintf("  %-20s %-9s %s\n", column$name, column$type, about(column)))
  label <- schema$label
  cat(sprintf("  %-20s %-9s %s\n", label$column, "label",
              if (is.null(label$classes)) paste0("[", label$min, ", ", label$max, "]") else shorten(unlist(label$classes))))
  invisible(x)
}

shorten <- function(values, most = 60) {
  text <- paste(values, collapse = ", ")
  if (nchar(text) > most) paste0(substr(text, 1, most - 3), "...") else text
}
