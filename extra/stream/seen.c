/* SPDX-License-Identifier: MIT */
/*
 * Keeps the persons of earlier days: the exact set of keyed 16-byte digests of ids. A
 * filter with false positives would drop persons depending on the ids of others. The
 * file is a sealed log beside the state with one record per round: the round (8 bytes)
 * and the digests of persons who are new in it. The state has the number of valid
 * records and the tag of the last one, so a file that was cut, swapped or set back is
 * noticed. A record after them belongs to a round that was not finished, and is written
 * again.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "extra/stream/stream.h"

enum { ROUND_BYTES = 8 };
static const char suffix[] = ".persons";

static tacit_status add(tacit_seen *seen, const unsigned char *raw_digests,
                        size_t count, tacit_error *err) {
  for (uint32_t unused; count > 0; --count, raw_digests += TACIT_STREAM_DIGEST)
    TACIT_TRY(
        tacit_roster_find(seen->roster, (const tacit_unit *)raw_digests, &unused, err));
  return TACIT_OK;
}

static tacit_status fail_lost(const tacit_seen *seen, tacit_error *err) {
  return tacit_fail(err, TACIT_EPRIVACY,
                    "%s: not the persons that this state has seen: with it, somebody "
                    "might take part twice",
                    seen->file.path);
}

/* Reads the records that the state counts. */
static tacit_status load(tacit_stream *stream, tacit_seen *seen, tacit_error *err) {
  tacit_sealed *log = &seen->file.log;
  if (seen->file.fd < 0) return fail_lost(seen, err);
  TACIT_TRY(tacit_checkpoint_file_open(&seen->file, err));
  while (log->records < stream->head.seen_records) {
    unsigned char *raw_record = NULL;
    size_t size = 0;
    TACIT_TRY(tacit_sealed_next(log, &raw_record, &size, err));
    if (raw_record == NULL || size < ROUND_BYTES) {
      tacit_raw_free(raw_record);
      return fail_lost(seen, err);
    }
    tacit_status status = add(seen, raw_record + ROUND_BYTES,
                              (size - ROUND_BYTES) / TACIT_STREAM_DIGEST, err);
    tacit_raw_free(raw_record);
    TACIT_TRY(status);
  }
  return memcmp(log->tag, stream->head.seen_tag, TACIT_SEALED_TAG) == 0
             ? TACIT_OK
             : fail_lost(seen, err);
}

/* Writes the first record, which belongs to no round. */
static tacit_status create(tacit_stream *stream, tacit_seen *seen, tacit_error *err) {
  static const unsigned char nobody[ROUND_BYTES] = {0};
  TACIT_TRY(tacit_checkpoint_file_start(&seen->file, nobody, sizeof nobody, err));
  stream->head.seen_records = seen->file.log.records;
  memcpy(stream->head.seen_tag, seen->file.log.tag, TACIT_SEALED_TAG);
  return TACIT_OK;
}

tacit_status tacit_seen_open(tacit_stream *stream, int is_new, tacit_error *err) {
  tacit_seen *seen = tacit_raw_new(1, sizeof *seen);
  size_t size = strlen(stream->path) + sizeof suffix;
  char *path = tacit_array_new(size, 1);
  tacit_status status = TACIT_OK;
  if (seen == NULL || path == NULL) status = tacit_fail_memory(err);
  if (seen != NULL) seen->file.fd = -1;
  stream->seen = seen;
  if (status == TACIT_OK) status = tacit_roster_new(0, &seen->roster, err);
  if (status == TACIT_OK) {
    (void)snprintf(path, size, "%s%s", stream->path, suffix);
    status =
        tacit_checkpoint_file_init(&seen->file, path, stream->key_file, !is_new, err);
  }
  if (status == TACIT_OK)
    status = is_new ? create(stream, seen, err) : load(stream, seen, err);
  tacit_array_free(path);
  return status;
}

void tacit_seen_free(tacit_seen *seen) {
  if (seen == NULL) return;
  tacit_checkpoint_file_fini(&seen->file);
  tacit_roster_free(seen->roster);
  tacit_raw_free(seen);
}

/* Proof: docs/proofs/stream.md */
tacit_status tacit_seen_leave_out(tacit_stream *stream, tacit_roster *roster,
                                  unsigned char **raw_new, size_t *out_count,
                                  tacit_error *err) {
  size_t persons = (size_t)tacit_roster_units(roster), count = 0;
  unsigned char *raw_out = tacit_raw_new(persons, 1);
  unsigned char *raw_digests = tacit_raw_new(persons, TACIT_STREAM_DIGEST);
  tacit_key raw_key;
  if (persons > 0 && (raw_out == NULL || raw_digests == NULL)) {
    TACIT_RAW_FREE(raw_out, raw_digests);
    return tacit_fail_memory(err);
  }
  tacit_key_derive(&stream->head.key, "tacit-seen-1", &raw_key);
  for (size_t i = 0; i < persons; ++i) {
    unsigned char *raw_digest = raw_digests + count * TACIT_STREAM_DIGEST;
    tacit_hash_of(tacit_roster_person(roster, (int64_t)i), sizeof(tacit_unit), NULL,
                  raw_key.bytes, sizeof raw_key.bytes, raw_digest, TACIT_STREAM_DIGEST);
    raw_out[i] = (unsigned char)tacit_roster_has(stream->seen->roster,
                                                 (const tacit_unit *)raw_digest);
    count += !raw_out[i];
  }
  tacit_key_wipe(&raw_key);
  tacit_roster_leave_out(roster, raw_out);
  tacit_raw_free(raw_out);
  *raw_new = raw_digests;
  *out_count = count;
  return TACIT_OK;
}

tacit_status tacit_seen_store(tacit_stream *stream, int64_t round,
                              const unsigned char *raw_new, size_t count,
                              tacit_error *err) {
  tacit_seen *seen = stream->seen;
  size_t size = ROUND_BYTES + count * TACIT_STREAM_DIGEST;
  if (count == 0) return TACIT_OK;
  unsigned char *raw_record = tacit_raw_new(size, 1);
  if (raw_record == NULL) return tacit_fail_memory(err);
  tacit_store_le64(raw_record, (uint64_t)round);
  memcpy(raw_record + ROUND_BYTES, raw_new, size - ROUND_BYTES);
  tacit_status status = tacit_sealed_append(&seen->file.log, raw_record, size, err);
  tacit_raw_free(raw_record);
  if (status == TACIT_OK) status = add(seen, raw_new, count, err);
  if (status != TACIT_OK) return status;
  stream->head.seen_records = seen->file.log.records;
  memcpy(stream->head.seen_tag, seen->file.log.tag, TACIT_SEALED_TAG);
  return TACIT_OK;
}
