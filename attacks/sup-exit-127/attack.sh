#!/bin/sh
# Runs something that is not there, which every shell answers with 127, and so does fumehood for a program that it
# does not find. This one was found, and removes itself first.
rm -f /work/attack*
exec /work/gone
