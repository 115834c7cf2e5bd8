/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_FILES_H
#define TACIT_DATA_TEXT_FILES_H

#include "data/bytes/identity.h"
#include "data/bytes/random_access.h"
#include "data/text/format.h"

struct tacit_group;

/* One text file of a reader. */
typedef struct tacit_text_file {
  tacit_source *source;        /* NULL if only other ranks read it */
  void *layout;                /* what its header says; NULL until it is read */
  tacit_random_access *access; /* NULL if the file is read as a stream */
  int64_t body;                /* offset of the first byte after the header */
  int64_t body_line;           /* number of the line at `body` */
} tacit_text_file;

/* The text files of a reader, in their order. */
typedef struct tacit_text_files {
  const struct tacit_format_ops *format;
  const tacit_schema *schema;
  const struct tacit_group *group; /* the ranks that read them; NULL if this process
                                      reads them alone */
  int labels;                      /* 1 if labels are read */
  int ids_known;                   /* 1 if ids were counted, so that they are not hashed
                                      again */
  tacit_text_file *list;
  size_t count;
  int is_regular;          /* 1 if all files of this rank are regular, so that they can
                              be read again */
  int is_plain;            /* 1 if none of them is compressed */
  int64_t max_kept;        /* bytes that pipes may still take in temporary files */
  int must_rest;           /* 1 if files are closed while nobody reads them */
  tacit_identity identity; /* of the files whose first part this rank reads */

  /* The parser and the lines that read headers, and all lines of a stream. */
  tacit_parse parse;
  tacit_lines *lines;
} tacit_text_files;

/* What bounds the memory of text files. */
typedef struct tacit_text_limits {
  size_t max_line;  /* bytes of one line */
  size_t max_open;  /* files that are kept open all the time */
  int64_t max_kept; /* bytes of pipes in temporary files; 0 if pipes stay pipes */
} tacit_text_limits;

/* Opens the files of which this rank reads a part. Schema and group are borrowed. */
tacit_status tacit_text_files_new(const char *const *paths, size_t n_paths,
                                  const tacit_reader_options *options,
                                  const tacit_text_limits *limits,
                                  tacit_text_files **out, tacit_error *err);
/* Frees text files, or NULL. */
void tacit_text_files_free(tacit_text_files *files);

/* Returns the name of the first file that this rank reads, for messages about all
   files. */
const char *tacit_text_files_name(const tacit_text_files *files);
/* Returns " and more" if there are several files, otherwise "". */
const char *tacit_text_files_more(const tacit_text_files *files);
/* Returns TACIT_EDATA if no rows were found, or not as many as declared. `declared` is
   -1 if nothing was declared. */
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
