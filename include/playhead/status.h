/* Result codes and the text of the last error. See playhead.h for the map of the API. */
#ifndef PLAYHEAD_STATUS_H
#define PLAYHEAD_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PH_API __attribute__((visibility("default")))
#define PH_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define PH_API
#define PH_PRINTF(fmt, args)
#endif

/* X(name, value, default message). Positive codes are not errors. */
#define PH_STATUS_LIST(X)                                                                          \
  X(OK, 0, "done")                                                                                 \
  X(AGAIN, 1, "not finished yet")                                                                  \
  X(END, 2, "there is no more")                                                                    \
  X(EINVAL, -1, "an argument is out of its range")                                                 \
  X(ENOMEM, -2, "out of memory")                                                                   \
  X(EIO, -3, "reading or writing failed")                                                          \
  X(EFORMAT, -4, "the file is not of a format that can be read")                                   \
  X(ECORRUPT, -5, "the bytes do not match their checksum")                                         \
  X(EREFUSED, -6, "the file asks for something that is never done")                                \
  X(ENOTFOUND, -7, "there is no such thing")                                                       \
  X(EEXIST, -8, "it exists already")                                                               \
  X(EMODEL, -9, "the model does not compile")                                                      \
  X(EMISMATCH, -10, "the two do not fit together")                                                 \
  X(ETASK, -11, "the task script is at fault")                                                     \
  X(ESIM, -12, "the physics engine stopped")                                                       \
  X(ECANCELED, -13, "canceled")

typedef enum ph_status {
#define PH_STATUS_ENUM(name, value, message) PH_##name = value,
  PH_STATUS_LIST(PH_STATUS_ENUM)
#undef PH_STATUS_ENUM
} ph_status;

/* The default message of a code; a static string, never NULL. */
PH_API const char *ph_status_message(ph_status status);

/* The calling thread's last error as one line "WHERE: WHAT: WHY", without a newline and with
 * control characters escaped. Borrowed until the thread's next failing call; "" before the first.
 */
PH_API const char *ph_error(void);
/* A sentence without `where` and ": " at its front, for who says where it is: all of it where it
 * begins otherwise. Borrowed from the sentence. */
PH_API const char *ph_text_without(const char *text, const char *where);

/* Version of the library that runs, "MAJOR.MINOR.PATCH"; static. */
PH_API const char *ph_version(void);

#ifdef __cplusplus
}
#endif
#endif
