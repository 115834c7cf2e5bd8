/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXPORT_H
#define TACIT_EXPORT_H

/** Symbols marked TACIT_API are the library's interface; all others are hidden. */
#if defined(__GNUC__)
#define TACIT_API __attribute__((visibility("default")))
/** A status that is dropped is a fault that is dropped: the compiler says so. */
#define TACIT_NODISCARD __attribute__((warn_unused_result))
#else
#define TACIT_API
#define TACIT_NODISCARD
#endif

#endif
