/* pages.h - what a zygote's forks find in memory */
#pragma once

/* In the zygote, when all is warm: from here on a fork begins with the pages of mapped files in place that are in place
 * here, instead of asking for them one after the other. Where that cannot be had nothing is lost but time. */
void zygote_pages_inherit(void);
