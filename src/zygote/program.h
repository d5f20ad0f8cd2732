/* program.h - a program of the guest's, run by an interpreter that stands before it
 *
 * Prepared in the zygote, run in the guest.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* In the zygote, before its modules are preloaded: what is needed of the interpreter later. @place is the path of the
 * program that is not there, and must outlive the process's forks. False: it cannot be had. */
bool zygote_program_prepare(const char *place);

/* In the zygote, when they are imported. False: no memory. */
bool zygote_program_note_preloaded(void);

/* In the guest, with the interpreter's lock: run the program whose path is @path, with @count arguments that follow it
 * in memory one after the other, each with its NUL. The status with which the interpreter would exit, all that it does
 * at its end done; or it dies of an interrupt that nobody handled, as the interpreter would. */
int zygote_program_run(const char *path, uint32_t count);

/* Flush one of the interpreter's streams, whatever comes of it. */
void zygote_program_flush(const char *stream);
