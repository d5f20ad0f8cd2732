/* yaml.h - JSON values printed as YAML for people */
#pragma once

#include "base/buf.h"
#include <jansson.h>

/* Append @json as block YAML, keys in their order. What comes out reads back as the same value. 0, BASE_E_NOMEM or
 * BASE_E_TOO_LARGE. */
int cli_yaml_append(struct base_buf *buf, const json_t *json);
