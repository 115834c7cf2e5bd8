test_that("a budget pays for fits and evaluations and refuses what exceeds it", {
  where <- tempfile(fileext = ".db")
  budget <- tacit_budget_create(where, "visits", 2, 1e-6)
  fit <- tacit(sick ~ age, made(), 1, bounds = bounds, levels = levels, family = binomial, budget = budget, verbose = FALSE)
  tacit_evaluate(fit, made(seed = 2), 0.5, budget = budget)
  expect_output(print(tacit_budget(where, "visits")), "2 entries")
  refused <- tryCatch(tacit(sick ~ age, made(), 3, bounds = bounds, levels = levels, family = binomial, budget = budget,
                            verbose = FALSE), error = function(e) e)
  expect_s3_class(refused, "tacit_budget_error")
  expect_error(tacit_budget(where, "nobody"), "no data set")
  unlink(where)
})

test_that("a page, exports and a plan are made", {
  data <- made()
  fit <- tacit(sick ~ s(age, 0, 110) + ward, data, 1, levels = levels, family = binomial, verbose = FALSE)
  evaluation <- tacit_evaluate(fit, made(seed = 2), 1)
  expect_output(print(evaluation), "accuracy")
  page <- tempfile(fileext = ".html")
  tacit_report(fit, page, evaluation = evaluation)
  expect_match(readLines(page, warn = FALSE)[1], "<!DOCTYPE html>", ignore.case = TRUE)
  expect_match(tacit_export(fit, "postgresql"), "\"age\"")
  expect_type(tacit_export(fit, "onnx"), "raw")
  plan <- tacit_plan(sick ~ age, data, 1, bounds = bounds, levels = levels, family = binomial)
  expect_output(print(plan), "rounds")
  expect_error(tacit_plan(sick ~ age, data, -1, bounds = bounds, levels = levels, family = binomial), "epsilon")
  unlink(page)
})

test_that("print, summary and plot say what a fit is", {
  fit <- fit_of_all(made(), seed = 7)
  expect_lte(length(utils::capture.output(print(fit))), 12)
  expect_output(print(summary(fit)), "for the longest row;.*no standard error")
  grDevices::pdf(NULL)
  points <- plot(fit)
  grDevices::dev.off()
  expect_true(all(c("age", "ward") %in% points$term))
  expect_error(plot(fit, "nothing"), "there are")
  if (requireNamespace("generics", quietly = TRUE)) {
    expect_named(generics::tidy(fit), c("term", "estimate", "noise.sd"))
    expect_equal(generics::glance(fit)$nobs, 2000)
    expect_equal(nrow(generics::augment(fit, made(10))), 10)
  }
  if (requireNamespace("ggplot2", quietly = TRUE)) expect_s3_class(ggplot2::autoplot(fit), "ggplot")
})

test_that("updates refit with the changed call", {
  data <- made()
  fit <- tacit(sick ~ age, data, 1, bounds = bounds, levels = levels, family = binomial, verbose = FALSE, seed = 1)
  more <- update(fit, epsilon = 2)
  expect_equal(more$statement$epsilon, 2, tolerance = 0.01)
})

test_that("a schema is printed and a file of it serves", {
  schema <- tacit_schema(sick ~ s(age, 0, 110) + ward, made(), levels = levels, family = "binomial")
  expect_output(print(schema), "a curve")
  path <- tempfile(fileext = ".json")
  writeLines(schema$json, path)
  fit <- tacit(data = made(), epsilon = 1, schema = path, family = binomial, verbose = FALSE)
  expect_true(fit$facts$private)
  unlink(path)
})

test_that("a check of a frame is that of its file", {
  data <- made(400)[c("age", "bmi", "ward", "sick")]
  data$bmi[3] <- 99
  schema <- tacit_schema(sick ~ age + bmi + ward, data, bounds = bounds, levels = levels, family = "binomial", missing = "own")
  path <- tempfile(fileext = ".csv")
  utils::write.csv(data, path, row.names = FALSE, na = "", quote = FALSE)
  expect_identical(unclass(tacit_check(data, schema)), unclass(tacit_check(path, schema)))
  data$sick[5] <- "perhaps"
  expect_output(print(tacit_check(data, schema)), "row 5, column 'sick'")
  unlink(path)
})

test_that("objects live through collections at every allocation", {
  skip_if_not(identical(Sys.getenv("TACIT_TORTURE"), "1"), "minutes; make r-test sets TACIT_TORTURE")
  data <- made(60)
  gctorture(TRUE)
  on.exit(gctorture(FALSE))
  fit <- tacit(sick ~ age + ward, data, 1, bounds = bounds, levels = levels, family = binomial, seed = 1, verbose = FALSE)
  scores <- predict(fit, data)
  gctorture(FALSE)
  expect_identical(predict(tacit(sick ~ age + ward, data, 1, bounds = bounds, levels = levels, family = binomial, seed = 1,
                                 verbose = FALSE), data), scores)
})
