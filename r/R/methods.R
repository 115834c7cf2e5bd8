# SPDX-License-Identifier: MIT
# Methods of fits.

label_of <- function(fit) fit$schema$label$column
classes_of <- function(fit) unlist(fit$schema$label$classes)
is_linear <- function(fit) fit$facts$row_scale != 0

guarantee <- function(statement) {
  if (!isTRUE(statement$private)) return("NOT PRIVATE: an experiment")
  sprintf("epsilon = %s, delta = %s", format(statement$epsilon, digits = 4), format(statement$delta, digits = 2))
}

print.tacit <- function(x, ...) {
  cat("Private", x$family$name, "regression", if (!is.null(x$formula)) paste0(": ", deparse1(x$formula)), "\n\n")
  cat("  guarantee  ", guarantee(x$statement), "\n", sep = "")
  if (!is.null(x$statement$unit)) cat("  protects   every ", x$statement$unit, "\n", sep = "")
  if (!is.null(x$rows)) cat("  rows       ", format(x$rows, big.mark = ","), "\n", sep = "")
  if (!is.null(classes_of(x))) cat("  classes    ", shorten(classes_of(x)), "\n", sep = "")
  cat("  inputs     ", length(x$facts$names), "\n\n", sep = "")
  cat("summary() has effects with their noise, plot() the curves, tacit_report() a page.\n")
  invisible(x)
}

# The shapes of the terms for one output: what each adds to the link, with the noise of the training.
shapes <- function(fit, output = 1, points = 61) .Call(C_model_shapes, model_of(fit), as.integer(output), as.integer(points))

# The numbers of one term: a slope per unit for lines, the spread of curves, one number per level for the others.
effects_of <- function(term) {
  shape <- term$shape
  noise <- term$noise
  if (term$kind %in% 1:2)
    return(list(names = paste0("s(", term$name, ")"), estimate = max(shape) - min(shape), noise = NA_real_))
  if (term$kind == 0) {
    width <- term$max - term$min
    return(list(names = term$name, estimate = (shape[length(shape)] - shape[1]) / width,
                noise = if (length(noise)) 2 * noise[length(noise)] / width else NA_real_))
  }
  if (term$kind == 5) return(list(names = term$name, estimate = shape[length(shape)] - shape[1],
                                  noise = if (length(noise)) 2 * noise[length(noise)] else NA_real_))
  named <- if (length(term$values)) {
    extra <- length(shape) - length(term$values)
    paste0(term$name, "=", c(term$values, rep("other", max(extra, 0)))[seq_along(shape)])
  } else paste0(term$name, "[", seq_along(shape), "]")
  list(names = named, estimate = shape, noise = if (length(noise)) noise else rep(NA_real_, length(shape)))
}

effects <- function(fit, output = 1) {
  parts <- lapply(shapes(fit, output), effects_of)
  part <- function(name) unlist(lapply(parts, `[[`, name))
  data.frame(term = part("names"), estimate = part("estimate"), noise = part("noise"),
             stringsAsFactors = FALSE)
}

coef.tacit <- function(object, ...) {
  outputs <- object$facts$outputs
  tables <- lapply(seq_len(outputs), function(output) effects(object, output))
  if (outputs == 1) return(stats::setNames(tables[[1]]$estimate, tables[[1]]$term))
  result <- vapply(tables, `[[`, tables[[1]]$estimate, "estimate")
  dimnames(result) <- list(tables[[1]]$term, classes_of(object))
  result
}

summary.tacit <- function(object, ...) {
  structure(class = "summary.tacit", list(
    fit = object, effects = lapply(seq_len(object$facts$outputs), function(output) effects(object, output))))
}

print.summary.tacit <- function(x, digits = 4, ...) {
  fit <- x$fit
  print(fit)
  cat("\nWhat one unit of a column, or a level, adds to the ", if (fit$family$classes) "log odds" else
    if (fit$family$name == "poisson") "log of the mean" else "prediction",
    if (!is_linear(fit)) ",\nfor the longest row; effects add up to more for others, because each row is scaled by its own norm", ":\n", sep = "")
  for (output in seq_along(x$effects)) {
    if (length(x$effects) > 1) cat("\nclass", classes_of(fit)[output], "\n")
    table <- x$effects[[output]]
    rows <- cbind(effect = table$estimate, `noise s.d.` = table$noise)
    ratio <- c(logistic = "odds ratio", poisson = "rate ratio")[fit$facts$loss]
    if (is_linear(fit) && length(x$effects) == 1 && !is.na(ratio))
      rows <- cbind(rows, matrix(exp(table$estimate), dimnames = list(NULL, ratio)))
    rownames(rows) <- table$term
    print(signif(rows, digits), na.print = "-")
  }
  if (any(grepl("^s\\(", x$effects[[1]]$term))) cat("s(x): from the lowest to the highest point of the curve; plot() draws it.\n")
  cat("\nnoise s.d.: what the noise of the training alone moves an effect by. It is no standard error: it leaves the\n",
      "sample out. Intervals for publication: tacit_infer().\n\n", sep = "")
  cat(fit$facts$statement, "\n", sep = "")
  invisible(x)
}

predict.tacit <- function(object, newdata, type = c("response", "link", "class"), ...) {
  type <- match.arg(type)
  if (missing(newdata)) refuse("predict needs newdata: predictions for the rows of the fit would be for these people")
  frame <- needed_columns(newdata, jsonlite::toJSON(object$schema, auto_unbox = TRUE, digits = I(17), null = "null"), FALSE)
  classes <- classes_of(object)
  outputs <- object$facts$outputs
  score <- function(kind) .Call(C_model_score, model_of(object), frame, kind)
  wide <- function(values) matrix(values, ncol = outputs, byrow = TRUE, dimnames = list(NULL, classes))
  if (type == "link") { values <- score(2L); return(if (outputs > 1) wide(values) else values) }
  if (type == "response") return(if (outputs > 1) wide(score(1L)) else score(0L))
  if (is.null(classes)) refuse("type = \"class\" is for labels with classes")
  which <- if (outputs > 1) score(0L) + 1 else 1 + (score(0L) > 0.5)
  factor(classes[which], levels = classes)
}

formula.tacit <- function(x, ...) x$formula
nobs.tacit <- function(object, ...) object$rows
family.tacit <- function(object, ...) switch(object$family$name, gaussian = stats::gaussian(), binomial = stats::binomial(),
                                              poisson = stats::poisson(), object$family$name)

fitted.tacit <- function(object, ...)
  not_private("fitted values are about the people of the fit, one by one, and are not released: use predict(fit, newdata) on ",
              "rows of others, or tacit_evaluate(fit, newdata, epsilon) for how good the fit is")
residuals.tacit <- function(object, ...)
  not_private("residuals are about the people of the fit, one by one, and are not released: use tacit_evaluate(fit, newdata, ",
              "epsilon), which releases the error with noise")
logLik.tacit <- function(object, ...)
  not_private("the likelihood at the rows of the fit was not released: use tacit_evaluate(fit, newdata, epsilon)")
vcov.tacit <- function(object, ...)
  not_private("a fit that was trained has no covariance of its sample, only the noise that summary() shows; intervals need a ",
              "release of their own: tacit_infer()")
confint.tacit <- function(object, parm, level = 0.95, ...)
  not_private("a fit that was trained has no covariance of its sample, only the noise that summary() shows; intervals need a ",
              "release of their own: tacit_infer()")

tidy.tacit <- function(x, ...) {
  tables <- lapply(seq_len(x$facts$outputs), function(output) effects(x, output))
  if (length(tables) == 1) return(stats::setNames(tables[[1]], c("term", "estimate", "noise.sd")))
  classes <- classes_of(x)
  do.call(rbind, lapply(seq_along(tables), function(i)
    data.frame(class = classes[i], stats::setNames(tables[[i]], c("term", "estimate", "noise.sd")))))
}

glance.tacit <- function(x, ...)
  data.frame(epsilon = x$statement$epsilon, delta = x$statement$delta, mu = x$statement$mu, private = x$facts$private,
             nobs = if (is.null(x$rows)) NA_integer_ else x$rows, inputs = length(x$facts$names))

augment.tacit <- function(x, newdata, ...) {
  if (missing(newdata)) refuse("augment needs newdata: see ?predict.tacit")
  response <- predict(x, newdata)
  cbind(newdata, if (is.matrix(response)) stats::setNames(as.data.frame(response), paste0(".fitted_", colnames(response)))
        else data.frame(.fitted = response))
}
