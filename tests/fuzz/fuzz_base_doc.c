/* fuzz_base_doc.c - documents: YAML and JSON (doc_untrusted.c, doc_json_untrusted.c) */
#include "base/doc.h"
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>

/* Every node must be whole, whatever the text was. */
static void check_node(const struct base_doc *doc, bool in_map)
{
    if ((doc->kind == BASE_DOC_SCALAR) != (doc->text != NULL) || in_map != (doc->key != NULL) || doc->line == 0 ||
        doc->column == 0)
        abort();
    for (const struct base_doc *child = doc->child; child; child = child->next)
        check_node(child, doc->kind == BASE_DOC_MAP);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    AUTO_DOC struct base_doc *doc = NULL;
    struct base_err err = {0};
    int r = base_doc_parse((const char *)bytes, count, "seed", &doc, &err);

    if ((r == 0) != (doc != NULL) || (r < 0) != (err.code < 0))
        abort();
    if (doc)
        check_node(doc, false);
    return 0;
}
