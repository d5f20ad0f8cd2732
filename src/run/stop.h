/* stop.h - inside the room: is the emergency stop set */
#pragma once

/* A static clause, or NULL. Cheap: asked many times a second. */
const char *run_stop_reason(void);
