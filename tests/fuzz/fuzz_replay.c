/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a token or record: refused with a message, or an equivalent token. */
#include <stdlib.h>
#include <string.h>

#include "orrery/replay.h"
#include "orrery/schedule.h"
#include "fuzz.h"

const char fuzz_name[] = "replay";

static bool take(void *self, char *name, char *value)
{
    (void)self;
    free(name);
    free(value);
    return true;
}

/* A record of many steps has no token. */
static void check_token(const struct schedule_record *record)
{
    struct schedule_record *again = NULL;
    struct diagnosis diagnosis = {0};
    char *token = schedule_record_token(record);
    if (!token)
        return;
    if (schedule_record_parse(token, &again, &diagnosis) != STATUS_OK)
        abort(); /* what was printed cannot be read */
    char *twice = schedule_record_token(again);
    if (!twice || strcmp(token, twice))
        abort();
    free(twice);
    free(token);
    schedule_record_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct schedule_record *record = NULL;
    struct diagnosis diagnosis = {0};
    char *text = strndup((const char *)data, size);
    if (schedule_record_parse(text, &record, &diagnosis) == STATUS_OK)
        check_token(record);
    else if (!diagnosis.text[0])
        abort(); /* refused without a word */
    replay_options_read(text, take, NULL);
    schedule_record_free(record);
    free(text);
    return 0;
}
