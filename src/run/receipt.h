/* receipt.h - inside the room: a receipt can be begun while the guest runs */
#pragma once

#include "run/run.h"

/* The fields that are known before the guest has ended. New reference, NULL without memory. */
json_t *run_receipt_begin(const struct run_request *request);
