# SPDX-License-Identifier: Apache-2.0
EXTRA_LIBRARIES += libinterp.a
libinterp_a_SOURCES = \
	%D%/access.c \
	%D%/access_atomic.c \
	%D%/access_copy.c \
	%D%/access_poison.c \
	%D%/access_state.h \
	%D%/access.h \
	%D%/affine.h \
	%D%/arena.c \
	%D%/arena.h \
	%D%/cfg.c \
	%D%/collective.c \
	%D%/components.c \
	%D%/cost.c \
	%D%/cost.h \
	%D%/debug_info.c \
	%D%/debug_info.h \
	%D%/debug_inlined.c \
	%D%/debug_sets.c \
	%D%/debug_values.c \
	%D%/profile.c \
	%D%/demangle.c \
	%D%/demangle.h \
	%D%/diverge.c \
	%D%/emit.c \
	%D%/emit.h \
	%D%/emit_idle.c \
	%D%/emit_levels.c \
	%D%/emit_sites.c \
	%D%/emit_values.c \
	%D%/emit_operands.c \
	%D%/emit_slots.c \
	%D%/wave_enqueue.c \
	%D%/wave_enqueue.h \
	%D%/exec_control.h \
	%D%/exec_table.h \
	%D%/half.h \
	%D%/image_formats.c \
	%D%/image_access.c \
	%D%/image_op.h \
	%D%/image_sample.c \
	%D%/image_sample.h \
	%D%/interp.c \
	%D%/interp.h \
	%D%/ir.c \
	%D%/ir.def \
	%D%/ir.h \
	%D%/kernel_info.c \
	%D%/lanes.h \
	%D%/lower.c \
	%D%/lower.h \
	%D%/lower_bits.c \
	%D%/lower_enqueue.c \
	%D%/lower_group.c \
	%D%/lower_image.c \
	%D%/lower_index.c \
	%D%/lower_memory.c \
	%D%/lower_orders.c \
	%D%/lower_pipe.c \
	%D%/lower_sub_group.c \
	%D%/lower_value.c \
	%D%/math.h \
	%D%/math_integer_width.h \
	%D%/math_isa.h \
	%D%/math_real.h \
	%D%/math_table.c \
	%D%/module.c \
	%D%/module_constants.c \
	%D%/module_specialise.c \
	%D%/module_types.c \
	%D%/module.h \
	%D%/wave_next.c \
	%D%/value_number.c \
	%D%/value_number.h \
	%D%/op.c \
	%D%/op.def \
	%D%/opencl_std.c \
	%D%/printf_format.c \
	%D%/printf_format.h \
	%D%/wave_pipe.c \
	%D%/wave_pipe.h \
	%D%/poison.c \
	%D%/poison.h \
	%D%/poison_bits.c \
	%D%/poison_origins.c \
	%D%/poison_trail.c \
	%D%/poison_trail.h \
	%D%/bytecode.h \
	%D%/promote.c \
	%D%/simplify.c \
	%D%/spirv_ops.c \
	%D%/spirv_ops.def \
	%D%/spirv_ops.h \
	%D%/slot_check.c \
	%D%/slot_check.h \
	%D%/loop_iterations.c \
	%D%/updates.c \
	%D%/verify.c \
	%D%/verify.h \
	%D%/verify_extended.c \
	%D%/verify_grammar.c \
	%D%/verify_groups.c \
	%D%/verify_ir.c \
	%D%/verify_shapes.h \
	%D%/verify_values.c \
	%D%/wave.c \
	%D%/wave.h \
	%D%/wave_control.c \
	%D%/written.c

# exec_*.c and math_*.c: compiled once per instruction set with ORRERY_ISA = 0, 1, 2; their external names carry
# the suffix. The vector flags never include -mfma: contraction is off and results are the same everywhere.
ISA_SOURCES = \
	%D%/exec_affine.c \
	%D%/exec_atomic.c \
	%D%/exec_compare.c \
	%D%/exec_control.c \
	%D%/exec_convert.c \
	%D%/exec_float.c \
	%D%/exec_image.c \
	%D%/exec_integer.c \
	%D%/exec_math.c \
	%D%/exec_memory.c \
	%D%/exec_poison.c \
	%D%/exec_printf.c \
	%D%/exec_private.c \
	%D%/exec_select.c \
	%D%/exec_table.c \
	%D%/math_double.c \
	%D%/math_float.c \
	%D%/math_half.c \
	%D%/math_integer.c

libinterp_a_CFLAGS = $(CONVERSION_CFLAGS)

ISA_CFLAGS = $(CONVERSION_CFLAGS) -O2 -foptimize-sibling-calls -ftree-vectorize -fno-math-errno -fno-trapping-math -fno-strict-aliasing

EXTRA_LIBRARIES += libisa0.a
INTERP_OBJECTS = $(libinterp_a_OBJECTS) $(libisa0_a_OBJECTS)
libisa0_a_SOURCES = $(ISA_SOURCES)
libisa0_a_CPPFLAGS = $(AM_CPPFLAGS) -DORRERY_ISA=0
libisa0_a_CFLAGS = $(ISA_CFLAGS)
if VECTOR_SETS
EXTRA_LIBRARIES += libisa1.a libisa2.a
INTERP_OBJECTS += $(libisa1_a_OBJECTS) $(libisa2_a_OBJECTS)
libisa1_a_SOURCES = $(ISA_SOURCES)
libisa1_a_CPPFLAGS = $(AM_CPPFLAGS) -DORRERY_ISA=1
libisa1_a_CFLAGS = $(ISA_CFLAGS) -mavx2
libisa2_a_SOURCES = $(ISA_SOURCES)
libisa2_a_CPPFLAGS = $(AM_CPPFLAGS) -DORRERY_ISA=2
libisa2_a_CFLAGS = $(ISA_CFLAGS) -mavx512f -mavx512bw -mavx512dq -mavx512vl
endif
