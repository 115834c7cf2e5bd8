condition_of <- function(expression) tryCatch(expression, error = function(e) e)

test_that("what is not declared is refused with the line to add", {
  data <- made()
  gap <- condition_of(tacit(sick ~ bmi, data, 1, levels = levels, family = binomial, verbose = FALSE))
  expect_s3_class(gap, "tacit_undeclared_error")
  expect_match(conditionMessage(gap), "bounds = list(bmi = c(min, max))", fixed = TRUE)
  gap <- condition_of(tacit(sick ~ ward, data, 1, levels = levels["sick"], family = binomial, verbose = FALSE))
  expect_match(conditionMessage(gap), "levels = list(ward = ", fixed = TRUE)
  gap <- condition_of(tacit(bmi ~ age, data, 1, bounds = bounds["age"], verbose = FALSE))
  expect_s3_class(gap, "tacit_undeclared_error")
})

test_that("leak = \"allow\" says what it read and that the fit is not private", {
  fit <- tacit(sick ~ bmi + ward, made(), 1, family = binomial, missing = "own", leak = "allow", verbose = FALSE)
  expect_false(fit$facts$private)
  expect_match(fit$facts$statement, "bounds of bmi", fixed = TRUE)
})

test_that("cells that do not fit name row and column and no value", {
  data <- made()
  data$sick[5] <- "perhaps"
  wrong <- condition_of(tacit(sick ~ age, data, 1, bounds = bounds, levels = levels, family = binomial, verbose = FALSE))
  expect_s3_class(wrong, "tacit_data_error")
  expect_match(conditionMessage(wrong), "5")
  expect_match(conditionMessage(wrong), "sick")
  expect_no_match(conditionMessage(wrong), "perhaps")
  gap <- condition_of(tacit(age ~ bmi, made(), 1, bounds = bounds, verbose = FALSE))
  expect_s3_class(gap, "tacit_data_error")
})

test_that("terms that cannot be private are refused with the reason", {
  data <- made()
  expect_error(tacit(sick ~ ., data, 1, levels = levels, family = binomial), "name the columns")
  expect_error(tacit(stays ~ age + offset(bmi), data, 1, bounds = bounds, family = poisson), "offset")
  expect_error(tacit(sick ~ age, data, 1, bounds = bounds, levels = levels, family = binomial, subset = age > 50), "subset")
  expect_error(tacit(sick ~ poly(age, 2), data, 1, bounds = bounds, levels = levels), "not understood")
  expect_error(tacit(sick ~ age, data, bounds = bounds, levels = levels), "epsilon")
  expect_error(tacit(sick ~ age, data, 1, bounds = bounds, levels = levels, family = binomial("probit")), "link")
  expect_error(tacit(sick ~ age, data, 1, bounds = bounds, levels = levels, family = binomial, options = list(passess = 2)), "setting")
})

test_that("arguments of another kind are refused in one line", {
  data <- made(200)
  fit <- function(..., b = bounds, formula = sick ~ age) tacit(formula, data, 1, bounds = b, levels = levels, family = binomial, verbose = FALSE, ...)
  data$many <- matrix(0, 200, 2)
  for (refused in list(condition_of(tacit_evaluate(data, data, 1)), condition_of(fit(b = c(0, 110))), condition_of(fit(budget = "b.db")),
                       condition_of(fit(options = list(passes = "x"))), condition_of(fit(options = list(passes = 1:2))),
                       condition_of(fit(formula = sick ~ many)), condition_of(tacit_check(list(), "schema.json"))))
    expect_s3_class(refused, "tacit_argument_error")
  expect_s3_class(condition_of(fit(schema = "no/such.json")), "tacit_file_error")
})

test_that("what would be about the people of the fit is refused", {
  fit <- tacit(sick ~ age, made(), 1, bounds = bounds, levels = levels, family = binomial, verbose = FALSE)
  for (method in list(fitted, residuals, logLik, vcov, confint))
    expect_s3_class(condition_of(method(fit)), "tacit_privacy_error")
  expect_error(predict(fit), "newdata")
})
