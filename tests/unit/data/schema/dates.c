/* SPDX-License-Identifier: MIT */
/* data/: dates by format, and the calendar. */
#include "check.h"

#include "data/schema/date.h"

static void days_are_counted_both_ways(void **state) {
  (void)state;
  const tacit_date first = {1, 1, 1}, last = {9999, 12, 31};
  const tacit_date known = {1970, 1, 1}, leap = {2000, 2, 29};
  assert_int_equal(tacit_date_days(&known), 0);
  assert_int_equal(tacit_date_days(&leap), 11016);
  tacit_date before = {0, 12, 31};
  for (int64_t days = tacit_date_days(&first); days <= tacit_date_days(&last); ++days) {
    tacit_date date = tacit_date_of(days);
    assert_int_equal(tacit_date_days(&date), days);
    int next_day = date.year == before.year && date.month == before.month &&
                   date.day == before.day + 1;
    int next_month = date.day == 1 && (date.month == before.month + 1 ||
                                       (date.month == 1 && before.month == 12));
    assert_true(next_day || next_month);
    before = date;
  }
  assert_int_equal(before.year, 9999);
}

static void weekdays_and_days_of_the_year(void **state) {
  (void)state;
  const tacit_date monday = {2024, 1, 1}, last = {2024, 12, 31}, early = {1950, 1, 1};
  assert_int_equal(tacit_date_weekday(tacit_date_days(&monday)), 1);
  assert_int_equal(tacit_date_weekday(tacit_date_days(&early)), 7);
  assert_int_equal(tacit_date_weekday(0), 4);
  assert_int_equal(tacit_date_yearday(&monday), 1);
  assert_int_equal(tacit_date_yearday(&last), 366);
}

static void formats_read_whole_texts(void **state) {
  (void)state;
  static const struct {
    const char *format, *text;
    int year, month, day; /* 0: refused */
  } cases[] = {
      {"%Y-%m-%d", "2024-02-29", 2024, 2, 29},
      {"%Y-%m-%d", "2023-02-29", 0, 0, 0},
      {"%Y-%m-%d", "1900-02-29", 0, 0, 0},
      {"%Y-%m-%d", "2024-2-9", 2024, 2, 9},
      {"%Y-%m-%d", "2024-02-29 ", 0, 0, 0},
      {"%Y-%m-%d", "2024-02", 0, 0, 0},
      {"%Y-%m-%d", "2024-13-01", 0, 0, 0},
      {"%Y-%m-%d", "2024-00-01", 0, 0, 0},
      {"%Y-%m-%d", "2024-01-00", 0, 0, 0},
      {"%Y-%m-%d", "0000-01-01", 0, 0, 0},
      {"%Y-%m-%d", "", 0, 0, 0},
      {"%d.%m.%Y", "31.12.1999", 1999, 12, 31},
      {"%m/%d/%y", "12/31/68", 2068, 12, 31},
      {"%m/%d/%y", "12/31/69", 1969, 12, 31},
      {"%d %b %Y", "3 Mar 2020", 2020, 3, 3},
      {"%d%b%Y", "03MAY2020", 2020, 5, 3},
      {"%B %d, %Y", "september 7, 2021", 2021, 9, 7},
      {"%b %d, %Y", "Foo 7, 2021", 0, 0, 0},
      {"%Y-%m-%dT%H:%M:%SZ", "2021-05-06T07:08:09Z", 2021, 5, 6},
      {"%Y%m%d", "20210506", 2021, 5, 6},
      {"%d%%%m%%%Y", "06%05%2021", 2021, 5, 6},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    tacit_date date = {0, 0, 0};
    assert_null(tacit_date_format_fault(cases[i].format));
    int read =
        tacit_date_parse(cases[i].format, cases[i].text, strlen(cases[i].text), &date);
    if (read != (cases[i].year != 0)) fail_msg("%s: %d", cases[i].text, read);
    assert_int_equal(date.year, cases[i].year);
    assert_int_equal(date.month, cases[i].month);
    assert_int_equal(date.day, cases[i].day);
  }
}

static void formats_are_checked(void **state) {
  (void)state;
  static const char *const bad[] = {"",           "%Y-%m",     "%Y-%m-%d-%d",
                                    "%Y-%m-%q",   "%Y-%m-%d%", "%y %Y %m %d",
                                    "%d %m %b %Y"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    assert_non_null(tacit_date_format_fault(bad[i]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(days_are_counted_both_ways),
      cmocka_unit_test(weekdays_and_days_of_the_year),
      cmocka_unit_test(formats_read_whole_texts),
      cmocka_unit_test(formats_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
