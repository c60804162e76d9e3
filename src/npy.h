/* NumPy's .npy: the header's text, parsed strictly and never evaluated, and the elements behind it.
 * Layout: magic "\x93NUMPY", version (2 bytes), length of the text (2 bytes; 4 from version 2 on,
 * little-endian), the text of a Python dict, elements. */
#ifndef PLAYHEAD_NPY_H
#define PLAYHEAD_NPY_H

#include "npz.h"

enum {
  PH_NPY_LEAD = 12,      /* bytes that decide where the text is */
  PH_NPY_TEXT = 1 << 16, /* longest text that is read */
};

/* Where the text begins and how long it is, from the first n bytes of a member. NULL, or a static
 * phrase that says what is wrong. */
const char *ph_npy_lead(size_t *at, size_t *length, const unsigned char *bytes, size_t n);

/* Fills all but the name from the header's text. NULL, or a static phrase that says what is wrong;
 * out is of no array then. What is right but cannot be read as numbers has its reason in out->why.
 */
const char *ph_npy_parse(ph_npy *out, const char *text, size_t n);

/* Where the digits of the first size stand in a header's text that was parsed, and how many there
 * are; 0: it has no dimension. */
size_t ph_npy_rows(size_t *at, const char *text, size_t n);

/* The bytes of a 0 or of a 1 of its type; how many, 0: it is none of numbers. */
size_t ph_npy_flag(unsigned char out[8], const ph_npy *npy, bool one);

/* Bytes of one element; 0 where that is not known (objects, records). */
size_t ph_npy_element(const ph_npy *npy);

/* n numbers as doubles; of the bits of float64 none is changed. Numeric arrays only. */
void ph_npy_numbers(double *out, const ph_npy *npy, const unsigned char *bytes, size_t n);

/* Place in row-major order of the next element of a column-major array: `at` holds the index of
 * each dimension, all 0 to begin with, and is moved on. */
size_t ph_npy_next(const ph_npy *npy, int64_t at[4]);

/* The whole header, a multiple of 64 bytes, as NumPy writes it; its size. out has PH_NPY_HEAD
 * bytes. type is not PH_STRING, rank is 0 to 4. */
#define PH_NPY_HEAD 192
size_t ph_npy_head(unsigned char out[PH_NPY_HEAD], ph_type type, int rank, const int64_t *dim);
/* The same by NumPy's name of the type: "<f2". */
size_t ph_npy_head_of(unsigned char out[PH_NPY_HEAD], const char *descr, int rank,
                      const int64_t *dim);

#endif
