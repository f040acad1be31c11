/* SPDX-License-Identifier: Apache-2.0 */
/* Digits are tried from one on: numbers are printed seldom, and most need few. */
#include "real_text.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int digits_most(uint64_t bytes)
{
    return bytes == 2 ? 5 : bytes == 4 ? 9 : 17;
}

static int fewest_digits(double number, uint64_t bytes, char text[REAL_TEXT])
{
    int digits = 1;
    for (;; digits++) {
        snprintf(text, REAL_TEXT, "%.*g", digits, number);
        const double back = strtod(text, NULL);
        if (digits == digits_most(bytes) || (bytes == 4 ? (float)back == (float)number : back == number))
            return digits;
    }
}

/* The C library writes the decimal point of the locale. */
static void put_point(char *text)
{
    const char *point = localeconv()->decimal_point;
    const size_t length = strlen(point);
    char *at = length ? strstr(text, point) : NULL;
    if (!at || !strcmp(point, "."))
        return;
    *at = '.';
    memmove(at + 1, at + length, strlen(at + length) + 1);
}

void real_text(double number, uint64_t bytes, char out_text[REAL_TEXT])
{
    if (!isfinite(number)) {
        snprintf(out_text, REAL_TEXT, "%s", isnan(number) ? "nan" : number < 0 ? "-inf" : "inf");
        return;
    }
    const int digits = fewest_digits(number, bytes, out_text);
    const bool plain = fabs(number) >= 1 && fabs(number) < pow(10, digits_most(bytes));
    for (int places = digits + 1; plain && strchr(out_text, 'e'); places++)
        snprintf(out_text, REAL_TEXT, "%.*g", places, number);
    put_point(out_text);
}
