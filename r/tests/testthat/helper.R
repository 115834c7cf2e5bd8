# A made-up table: every kind of column, with gaps.
made <- function(n = 2000, seed = 1) {
  set.seed(seed)
  age <- round(stats::runif(n, 18, 90))
  ward <- sample(c("surgery", "medicine", NA), n, TRUE, c(0.5, 0.45, 0.05))
  smoker <- stats::runif(n) < 0.3
  bmi <- round(stats::rnorm(n, 26, 4), 1)
  risk <- stats::plogis((age - 60) / 12 + smoker - 0.3)
  data.frame(id = rep(seq_len(n / 2), each = 2), age = as.integer(age), ward = factor(ward), smoker = smoker,
             bmi = replace(bmi, seq(7, n, 50), NA), day = as.Date("2024-01-01") + sample(0:300, n, TRUE),
             grade = factor(sample(c("low", "mid", "high"), n, TRUE), levels = c("low", "mid", "high"), ordered = TRUE),
             sick = ifelse(stats::runif(n) < risk, "yes", "no"), stays = stats::rpois(n, exp(age / 60)), stringsAsFactors = FALSE)
}
bounds <- list(age = c(0, 110), bmi = c(10, 60), day = as.Date(c("2024-01-01", "2024-12-31")), stays = c(0, 30))
levels <- list(ward = c("surgery", "medicine"), sick = c("no", "yes"), grade = c("low", "mid", "high"))
fit_of_all <- function(data, ...)
  tacit(sick ~ s(age, 0, 110) + ward + smoker + bmi + day + grade + ward:smoker, data, epsilon = 2, bounds = bounds, levels = levels,
        family = binomial(), missing = "own", verbose = FALSE, ...)
# The program of the tree, if the tests run in one.
program <- function() {
  build <- Sys.getenv("TACIT_BUILD")
  if (build == "") testthat::skip("the program is only there in a source tree")
  file.path(build, "tacit")
}
