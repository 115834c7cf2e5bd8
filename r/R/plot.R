# SPDX-License-Identifier: MIT
# Curves and levels with bands of the noise of the training.

# One row per point of every term: name, x (a number or NA), label, y, low, high.
curves_of <- function(fit, which = NULL, output = 1) {
  terms <- shapes(fit, output)
  names(terms) <- vapply(terms, `[[`, "", "name")
  if (!is.null(which)) {
    absent <- setdiff(which, names(terms))
    if (length(absent) > 0) refuse("there is no term ", quoted(absent), "; there are: ", quoted(names(terms)))
    terms <- terms[which]
  }
  do.call(rbind, lapply(terms, function(term) {
    count <- length(term$shape)
    shape <- term$shape
    noise <- if (length(term$noise)) term$noise else rep(NA_real_, count)
    is_number <- term$kind %in% 0:2
    labels <- if (is_number) character(count) else if (term$kind != 5) effects_of(term)$names else
      if (grepl("=missing$", term$name)) c("no", "yes") else c("FALSE", "TRUE")
    data.frame(term = term$name, x = if (is_number) seq(term$min, term$max, length.out = count) else NA_real_,
               label = sub("^.*(=|\\[)", "", sub("]$", "", labels)),
               y = shape, low = shape - 1.96 * noise, high = shape + 1.96 * noise, stringsAsFactors = FALSE)
  }))
}

plot.tacit <- function(x, which = NULL, output = 1, ...) {
  points <- curves_of(x, which, output)
  terms <- unique(points$term)
  columns <- min(3, length(terms))
  before <- graphics::par(mfrow = c(ceiling(length(terms) / columns), columns), mar = c(4, 4, 2, 1))
  on.exit(graphics::par(before))
  for (name in terms) plot_term(points[points$term == name, ], name)
  invisible(points)
}

plot_term <- function(part, name) {
  limits <- range(part$y, part$low, part$high, na.rm = TRUE)
  band <- grDevices::adjustcolor("steelblue", 0.25)
  if (!is.na(part$x[1])) {
    if (grepl("\\.days$", name)) part$x <- as.Date(part$x, origin = "1970-01-01")
    graphics::plot(part$x, part$y, type = "n", ylim = limits, xlab = name, ylab = "effect", main = name)
    if (!anyNA(part$low)) graphics::polygon(c(part$x, rev(part$x)), c(part$low, rev(part$high)), col = band, border = NA)
    graphics::lines(part$x, part$y, lwd = 2, col = "steelblue4")
    return(invisible())
  }
  at <- seq_len(nrow(part))
  graphics::plot(at, part$y, type = "n", ylim = limits, xlim = c(0.5, nrow(part) + 0.5), xaxt = "n", xlab = "", ylab = "effect", main = name)
  graphics::axis(1, at, part$label, las = if (nrow(part) > 4) 2 else 1)
  if (!anyNA(part$low)) graphics::segments(at, part$low, at, part$high, lwd = 6, col = band)
  graphics::points(at, part$y, pch = 19, col = "steelblue4")
}

autoplot.tacit <- function(object, which = NULL, output = 1, ...) {
  points <- curves_of(object, which, output)
  # Levels lie beyond all numbers, so that one scale of all panels can name them.
  is_level <- is.na(points$x)
  far <- 10 * max(1, abs(points$x), na.rm = TRUE)
  points$at <- ifelse(is_level, far + seq_along(points$y), points$x)
  breaks <- function(limits)
    if (limits[1] < far) pretty(limits, 4) else points$at[is_level & points$at > limits[1] & points$at < limits[2]]
  named <- function(at) ifelse(at > far, points$label[match(at, points$at)], format(at))
  ggplot2::ggplot(points, ggplot2::aes(x = .data$at, y = .data$y, ymin = .data$low, ymax = .data$high)) +
    ggplot2::geom_ribbon(data = points[!is.na(points$x), ], alpha = 0.25) +
    ggplot2::geom_line(data = points[!is.na(points$x), ]) +
    ggplot2::geom_pointrange(data = points[is.na(points$x), ]) +
    ggplot2::facet_wrap(~term, scales = "free") + ggplot2::scale_x_continuous(breaks = breaks, labels = named) +
    ggplot2::labs(x = NULL, y = "effect")
}
utils::globalVariables(".data")
