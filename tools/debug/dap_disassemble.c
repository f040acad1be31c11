/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disassemble. The address of an instruction is its index in the kernel's bytecode.
 */
#include "dap_adapter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/tools.h"

/* Returns the bytecode and, after a semicolon, the SPIR-V instruction that it carries out. */
static char *annotated_text(const json_t *row)
{
    char *text = NULL;
    const char *spirv = TEXT(row, "spirv");
    const int length = spirv ? asprintf(&text, "%s  ; %s", TEXT(row, "text"), spirv)
                             : asprintf(&text, "%s", TEXT(row, "text"));
    if (length < 0)
        tools_no_memory();
    return text;
}

/* A location is given where it differs from that of the instruction before. */
static void add_location(struct dap *dap, const json_t *row, const json_t *previous, json_t *shown)
{
    const json_t *line = json_object_get(row, "line"), *file = json_object_get(row, "file");
    const bool is_same = previous && json_equal(line, json_object_get(previous, "line")) &&
                         json_equal(file, json_object_get(previous, "file"));
    if (!line || !file || is_same)
        return;
    json_object_set_new(shown, "location", dap_source_of(dap, json_string_value(file)));
    json_object_set_new(shown, "line", json_integer(json_integer_value(line)));
}

/* As many instructions as requested: those that do not exist are marked invalid. */
json_t *dap_disassemble(struct dap *dap, const json_t *arguments)
{
    const json_int_t first = (json_int_t)dap_address_of(arguments) + NUMBER(arguments, "instructionOffset"),
                     count = NUMBER(arguments, "instructionCount");
    json_t *answer = dap_query(dap, json_pack("{s:s,s:I,s:I,s:I}", "verb", "disassemble", "start", first,
                                              "count", count, "thread", NUMBER(dap->stop, "thread")));
    if (!answer)
        return NULL;
    json_t *list = json_array();
    const json_t *known = json_object_get(answer, "list"), *previous = NULL;
    for (json_int_t i = 0, k = 0; i < count; i++) {
        const json_t *row = json_array_get(known, (size_t)k);
        char address[24];
        snprintf(address, sizeof address, "0x%" PRIx64, (uint64_t)(first + i));
        json_t *shown = json_pack("{s:s}", "address", address);
        if (row && NUMBER(row, "index") == first + i) {
            char *text = annotated_text(row);
            json_object_set_new(shown, "instruction", json_string(text));
            free(text);
            add_location(dap, row, previous, shown);
            previous = row;
            k++;
        } else {
            json_object_set_new(shown, "instruction", json_string("(none)"));
            json_object_set_new(shown, "presentationHint", json_string("invalid"));
        }
        json_array_append_new(list, shown);
    }
    json_decref(answer);
    return json_pack("{s:o}", "instructions", list);
}
