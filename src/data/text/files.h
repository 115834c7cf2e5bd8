/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_FILES_H
#define TACIT_DATA_TEXT_FILES_H

#include "data/bytes/identity.h"
#include "data/bytes/random_access.h"
#include "data/text/format.h"

struct tacit_group;

/* One text file of a reader. */
typedef struct tacit_text_file {
  tacit_source *source;        /* NULL: only other ranks read it */
  void *layout;                /* what its header says; NULL until it is read */
  tacit_random_access *access; /* NULL: the file is read as a stream */
  int64_t body;                /* first byte after the header … */
  int64_t body_line;           /* … and its line number */
} tacit_text_file;

/* The text files of a reader, in order. */
typedef struct tacit_text_files {
  const struct tacit_format_ops *format;
  const tacit_schema *schema;
  const struct tacit_group *group; /* the ranks that read them; NULL: this one alone */
  int labels;                      /* 1: labels are read */
  int ids_known;                   /* 1: ids were counted and are not hashed again */
  tacit_text_file *list;
  size_t count;
  int is_regular;          /* all of ours are regular: they can be read again */
  int is_plain;            /* and none is compressed */
  int64_t max_kept;        /* bytes that pipes may still take in temporary files */
  int must_rest;           /* files are closed while nobody reads them */
  tacit_identity identity; /* of the files whose first part is ours */

  /* Reads headers, and all lines of a stream. */
  tacit_parse parse;
  tacit_lines *lines;
} tacit_text_files;

/* What bounds the memory of text files. */
typedef struct tacit_text_limits {
  size_t max_line;  /* bytes of one line */
  size_t max_open;  /* files that are kept open all the time */
  int64_t max_kept; /* bytes of pipes in temporary files; 0: pipes stay pipes */
} tacit_text_limits;

/* Opens the files of which this rank reads a part. Schema and group are borrowed. */
tacit_status tacit_text_files_new(const char *const *paths, size_t n_paths,
                                  const tacit_reader_options *options,
                                  const tacit_text_limits *limits,
                                  tacit_text_files **out, tacit_error *err);
/* NULL-safe. */
void tacit_text_files_free(tacit_text_files *files);

/* Name of the first file we read, for messages about all of them. */
const char *tacit_text_files_name(const tacit_text_files *files);
/* " and more" when there are several, else "". */
const char *tacit_text_files_more(const tacit_text_files *files);
/* TACIT_EDATA unless the rows found are at least one and as many as declared (-1: not
   declared). */
tacit_status tacit_text_files_check_rows(const tacit_text_files *files,
                                         int64_t declared, int64_t found,
                                         tacit_error *err);

/* Moves files->lines to the first line of a file, after its header. */
tacit_status tacit_text_files_start(tacit_text_files *files, size_t number,
                                    tacit_error *err);
/* Closes a file that was read to its end, if files must rest. */
void tacit_text_files_rest(const tacit_text_files *files, size_t number);
/* Finds the body of each file and makes it accessible at any offset. */
tacit_status tacit_text_files_access(tacit_text_files *files,
                                     tacit_random_access_space *space,
                                     tacit_error *err);

#endif
