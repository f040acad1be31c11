/* SPDX-License-Identifier: Apache-2.0 */
/* The integer and relational entries of OpenCL.std, one inclusion of the template per width. */
#include "math_isa.h"

#define WIDTH 8
#define WIDE 16
#include "math_integer_width.h"

#define WIDTH 16
#define WIDE 32
#include "math_integer_width.h"

#define WIDTH 32
#define WIDE 64
#include "math_integer_width.h"

#define WIDTH 64
#define WIDE 128
#include "math_integer_width.h"
