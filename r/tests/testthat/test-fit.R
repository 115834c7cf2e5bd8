test_that("one seed gives the file of the command line, byte for byte", {
  tacit_program <- program()
  data <- made()
  folder <- tempfile()
  dir.create(folder)
  fit <- fit_of_all(data, seed = 7)
  tacit_save(fit, file.path(folder, "r.json"))
  utils::write.csv(data[c("age", "ward", "smoker", "bmi", "day", "grade", "sick")], file.path(folder, "data.csv"), row.names = FALSE,
                   na = "", quote = FALSE)
  writeLines(as.character(jsonlite::toJSON(fit$schema, auto_unbox = TRUE, digits = I(17), null = "null")),
             file.path(folder, "schema.json"))
  arguments <- c("train", file.path(folder, "data.csv"), "--schema", file.path(folder, "schema.json"), "--epsilon", "2", "--seed", "7",
                 "--quiet", "-o", file.path(folder, "c.json"))
  expect_equal(system2(tacit_program, arguments, stdout = FALSE), 0)
  expect_identical(readLines(file.path(folder, "r.json")), readLines(file.path(folder, "c.json")))
  if (nzchar(Sys.getenv("TACIT_PYTHON"))) { # with the Python package, if the tree has built it
    arguments <- c(testthat::test_path("same_fit.py"), folder)
    expect_equal(system2(Sys.getenv("TACIT_PYTHON"), arguments), 0)
    expect_identical(readLines(file.path(folder, "p.json")), readLines(file.path(folder, "r.json")))
  }
  unlink(folder, recursive = TRUE)
})

test_that("predictions of a saved, loaded and restored fit are the same", {
  data <- made()
  fit <- fit_of_all(data, seed = 7)
  probability <- predict(fit, data)
  expect_true(all(probability > 0 & probability < 1))
  expect_equal(stats::plogis(predict(fit, data, "link")), probability)
  expect_equal(predict(fit, data, "class"), factor(c("no", "yes")[1 + (probability > 0.5)], levels = c("no", "yes")))
  path <- tempfile(fileext = ".json")
  tacit_save(fit, path)
  expect_identical(predict(tacit_load(path), data), probability)
  saveRDS(fit, path)
  expect_identical(predict(readRDS(path), data), probability)
  unlink(path)
})

test_that("a fit finds what made the data", {
  fit <- fit_of_all(made(8000), seed = 3)
  newer <- made(4000, 2)
  right <- mean(predict(fit, newer, "class") == newer$sick)
  plain <- stats::glm((sick == "yes") ~ age + smoker, binomial, made(8000))
  best <- mean((stats::predict(plain, newer, "response") > 0.5) == (newer$sick == "yes"))
  expect_gt(right, best - 0.03)
})

test_that("effects of lines are what predict says", {
  data <- made()
  fit <- tacit(age ~ bmi + smoker, data, 5, bounds = bounds, missing = "own", seed = 1, verbose = FALSE)
  rows <- data.frame(bmi = c(20, 21), smoker = FALSE)
  expect_equal(unname(coef(fit)["bmi"]), diff(predict(fit, rows)))
  flags <- data.frame(bmi = 20, smoker = c(FALSE, TRUE))
  expect_equal(unname(coef(fit)["smoker"]), diff(predict(fit, flags)))
  counts <- tacit(stays ~ age, data, 5, bounds = bounds, family = poisson, seed = 1, verbose = FALSE)
  ages <- data.frame(age = c(40, 41))
  expect_equal(unname(coef(counts)["age"]), diff(log(predict(counts, ages))))
  expect_equal(unname(coef(counts)["age"]), diff(predict(counts, ages, "link")))
})

test_that("families have their labels", {
  data <- made()
  many <- tacit(grade ~ age + smoker, data, 2, bounds = bounds, levels = levels, family = "multinomial", seed = 1, verbose = FALSE)
  scores <- predict(many, data)
  expect_equal(dim(scores), c(nrow(data), 3))
  expect_equal(rowSums(scores), rep(1, nrow(data)))
  expect_equal(as.character(predict(many, data, "class")), colnames(scores)[max.col(scores, "first")])
  expect_equal(dim(coef(many))[2], 3)
  median <- tacit(bmi ~ age, data[!is.na(data$bmi), ], 2, bounds = bounds, family = "quantile", tau = 0.5, seed = 1, verbose = FALSE)
  expect_equal(mean(predict(median, data)), 26, tolerance = 0.1)
})

test_that("persons are protected with all their rows", {
  fit <- tacit(sick ~ age, made(), 2, bounds = bounds, levels = levels, family = binomial, groups = ~id, seed = 1, verbose = FALSE)
  expect_match(fit$statement$unit, "person")
  expect_equal(nobs(fit), 2000)
})

test_that("a fit without a seed is private, with one it is an experiment", {
  expect_true(tacit(sick ~ smoker, made(), 1, levels = levels, family = binomial, verbose = FALSE)$facts$private)
  expect_false(tacit(sick ~ smoker, made(), 1, levels = levels, family = binomial, seed = 1, verbose = FALSE)$facts$private)
})

test_that("strings, factors, integers and doubles are the same cells", {
  data <- made()
  first <- fit_of_all(data, seed = 5)
  data$ward <- as.character(data$ward)
  data$age <- as.numeric(data$age)
  data$day <- as.POSIXct(paste(data$day, "12:00:00"), tz = "UTC")
  expect_identical(fit_of_all(data, seed = 5)$json, first$json)
})
