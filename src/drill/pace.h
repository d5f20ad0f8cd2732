/* pace.h - inside the room: how many times slower than usual this machine is, so that slow is not taken for broken */
#pragma once

#include "drill/expect.h"

#define DRILL_PACE_MOST 50
#define DRILL_PACE_SLOW 3 /* from here on, what took too long is not held against a cage */

/* Start processes and take the time. 1: as usual, or faster. */
unsigned drill_pace_measure(void);

/* Give @expect's times @pace times as long, but those that are to end it, and note the pace in it. In a slot those are
 * honest runs' too, for which they must be enough; idle they are not. */
void drill_pace_stretch(struct drill_expect *expect, unsigned pace, bool in_slot);

/* The same for a run that does nothing wrong: all its times. */
void drill_pace_stretch_all(struct policy *policy, unsigned pace);
