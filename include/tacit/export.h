/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXPORT_H
#define TACIT_EXPORT_H

/** Symbols marked TACIT_API are the library's interface; all others are hidden. */
#if defined(__GNUC__)
#define TACIT_API __attribute__((visibility("default")))
/** The compiler warns when a returned status is ignored. */
#define TACIT_NODISCARD __attribute__((warn_unused_result))
#else
#define TACIT_API
#define TACIT_NODISCARD
#endif

#endif
