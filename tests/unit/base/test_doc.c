/* test_doc.c - documents with places */
#include "../support.h"
#include "base/cleanup.h"
#include "base/doc.h"

static struct base_doc *parse(const char *text)
{
    struct base_err err = {0};
    struct base_doc *doc = NULL;

    if (base_doc_parse(text, strlen(text), "f", &doc, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    return doc;
}

static void refused(const char *text, const char *place, const char *what)
{
    struct base_err err = {0};
    struct base_doc *doc = NULL;

    assert_int_equal(base_doc_parse(text, strlen(text), "f", &doc, &err), BASE_E_INVALID);
    assert_null(doc);
    assert_string_equal(err.place, place);
    if (!strstr(err.what, what))
        fail_msg("\"%s\" is not in \"%s\"", what, err.what);
}

static void yaml_tree_with_places(void **state)
{
    AUTO_DOC struct base_doc *doc = parse("# c\na: no\nb:\n  - \"x\\u00e9\"\n  - {c: 1}\n");
    const struct base_doc *a = base_doc_get(doc, "a"), *b = base_doc_get(doc, "b");

    (void)state;
    assert_int_equal(doc->kind, BASE_DOC_MAP);
    assert_string_equal(a->text, "no");
    assert_false(a->quoted);
    assert_int_equal(a->line, 2);
    assert_int_equal(a->column, 4);
    assert_int_equal(a->key_column, 1);
    assert_int_equal(b->kind, BASE_DOC_LIST);
    assert_string_equal(b->child->text, "x\xc3\xa9");
    assert_true(b->child->quoted);
    assert_int_equal(b->child->line, 4);
    assert_int_equal(b->child->column, 5);
    assert_string_equal(base_doc_get(b->child->next, "c")->text, "1");
    assert_null(base_doc_get(doc, "z"));
    assert_null(base_doc_get(a, "z"));
}

static void a_byte_order_mark_is_no_text(void **state)
{
    AUTO_DOC struct base_doc *yaml = parse("\xef\xbb\xbf"
                                           "a: 1\r\nb:\r\n  c: 2\r\n");
    AUTO_DOC struct base_doc *json = parse("\xef\xbb\xbf{\"a\": 1}");

    (void)state;
    assert_string_equal(base_doc_get(yaml, "a")->text, "1");
    assert_int_equal(base_doc_get(yaml, "a")->key_column, 1);
    assert_string_equal(base_doc_get(base_doc_get(yaml, "b"), "c")->text, "2");
    assert_string_equal(base_doc_get(json, "a")->text, "1");
    refused("\xef\xbb\xbf", "f:1:1", "empty");
}

static void json_tree_with_places(void **state)
{
    AUTO_DOC struct base_doc *doc =
        parse("\t{\n\t\"a\": \"\\ud83d\\ude00\\/\\n\\\"\",\t\"\\u00e9\": [1e3, true,null], \"e\": {}, \"f\":[]}\n");
    const struct base_doc *list = base_doc_get(doc, "\xc3\xa9");

    (void)state;
    assert_string_equal(base_doc_get(doc, "a")->text, "\xf0\x9f\x98\x80/\n\"");
    assert_true(base_doc_get(doc, "a")->quoted);
    assert_int_equal(list->kind, BASE_DOC_LIST);
    assert_string_equal(list->child->text, "1e3");
    assert_false(list->child->quoted);
    assert_string_equal(list->child->next->next->text, "null");
    assert_int_equal(doc->line, 1);
    assert_int_equal(doc->column, 2);
    assert_int_equal(base_doc_get(doc, "a")->line, 2);
    assert_int_equal(base_doc_get(doc, "a")->column, 7);
    assert_int_equal(base_doc_get(doc, "f")->kind, BASE_DOC_LIST);
    assert_null(base_doc_get(doc, "e")->child);
}

static void surprises_are_refused(void **state)
{
    (void)state;
    refused("", "f:1:1", "empty");
    refused("# only a comment\n", "f:1:1", "empty");
    refused("a: 1\nb: &x 2\n", "f:2:4", "anchors");
    refused("a: *x\n", "f:1:4", "aliases");
    refused("a: !!int 3\n", "f:1:4", "tags");
    refused("a: ! b\n", "f:1:4", "tags");
    refused("a: 1\n---\nb: 2\n", "f:2:1", "second document");
    refused("? [1]\n: 2\n", "f:1:3", "key must be text");
    refused("a: 1\nb: 2\na: 3\n", "f:3:1", "duplicate key \"a\"");
    refused("{\"a\": 1,\n \"a\": 2}", "f:2:2", "duplicate key \"a\"");
    refused("a: \"x\\0y\"\n", "f:1:4", "NUL");
    refused("a: 1\nb\nc: 2\n", "f:2:1", "could not find expected ':'"); /* where it is, not where it was noticed */
    refused("a: 1\nb: 'x\nc: 2\n", "f:2:4", "unexpected end of stream");
    refused("{\"a\": 1,\n}", "f:1:8", "a comma after the last entry");
    refused("{\"a\": [1, 2 , ]}", "f:1:13", "a comma after the last entry");
    refused("a: [1\n", "f:2:1", "not valid YAML");
    refused("a: b: c\n", "f:1:5", "not valid YAML");
    refused("ab: \xff\n", "f:1:5", "not valid YAML");
    refused("{\"a\": 1", "f:1:7", "not valid JSON");
    refused("{a: 1}", "f:1:2", "not valid JSON");
    refused("[\"\\u0000\"]", "f:1:9", "not valid JSON");
    refused("[\"\\ud800\"]", "f:1:9", "not valid JSON");
    refused("[1] x", "f:1:5", "not valid JSON");
}

static void directives_are_few(void **state)
{
    char text[600] = "";

    (void)state;
    for (int i = 0; i < 17; i++)
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%%TAG !%c! tag:b,2000:\n", 'a' + i);
    strcat(text, "---\na: b\n");
    refused(text, "f:17:1", "more than 16 times %TAG");
}

static void limits_hold(void **state)
{
    char *deep_yaml = calloc(1, 400), *deep_json = calloc(1, 400), *many = calloc(1, 500000);

    (void)state;
    for (int i = 0; i < 63; i++) {
        strcat(deep_yaml, "- ");
        deep_json[i] = '[';
        deep_json[63 + i] = ']';
    }
    strcat(deep_yaml, "x");
    base_doc_free(parse(deep_yaml));
    base_doc_free(parse(deep_json));
    memset(deep_json, '[', 65);
    memset(deep_json + 65, ']', 65);
    refused(deep_json, "f:1:65", "64 levels");
    deep_yaml[0] = '\0';
    for (int i = 0; i < 64; i++)
        strcat(deep_yaml, "- ");
    strcat(deep_yaml, "x");
    refused(deep_yaml, "f:1:129", "64 levels");
    many[0] = '[';
    for (int i = 0; i < 100000; i++)
        memcpy(many + 1 + 2 * i, "1,", 2);
    many[200000] = ']';
    many[200001] = '\0';
    refused(many, "f:1:200000", "100000 values");
    free(deep_yaml);
    free(deep_json);
    free(many);
}

static const struct base_doc_field fields[] = {
    {"name", BASE_DOC_SCALAR, true}, {"list", BASE_DOC_LIST}, {"map", BASE_DOC_MAP}, {NULL}};

static void check(const char *text, const char *place, const char *what, const char *remedy)
{
    AUTO_DOC struct base_doc *doc = parse(text);
    struct base_err err = {0};
    int r = base_doc_check(doc, fields, "f", &err);

    assert_int_equal(r, place ? BASE_E_INVALID : 0);
    if (!place)
        return;
    assert_string_equal(err.place, place);
    assert_string_equal(err.what, what);
    assert_string_equal(err.remedy, remedy);
}

static void schemas_are_strict(void **state)
{
    (void)state;
    check("name: x\nlist: []\nmap: {}\n", NULL, NULL, NULL);
    check(" nope: 1\n", "f:1:2", "unknown key \"nope\"", "known here: name, list, map");
    check("maps: {}\n", "f:1:1", "unknown key \"maps\"", "did you mean map? known here: name, list, map");
    check("name: [x]\n", "f:1:7", "name is a list, where a single value is wanted", "");
    check("list: []\n", "f:1:1", "name is missing", "");
    check("- 1\n", "f:1:1", "the document is a list, where a map of keys and values is wanted", "");
    check("name: x\nmap:\n", "f:2:5", "map is empty, where a map of keys and values is wanted",
          "what belongs to it stands below it, further to the right; or leave it out");
    check("name: x\nmap:\n  a:1\n", "f:3:3", "map is a single value, where a map of keys and values is wanted",
          "write \"key: value\", with a blank after the colon");
}

static void remedies_are_told(void **state)
{
    static const struct {
        const char *text, *remedy;
    } rows[] = {
        {"a:\n\tb: 1\n", "indent with blanks, not with tabs"},
        {"a: |\n x\n\tb\n", NULL},
        {"a:\n  b: 1\n\tc: 1\n", "indent with blanks, not with tabs"},
        {"\xc3\xa9:\n\tb: 1\n", "indent with blanks, not with tabs"},
        {"a: @b\n", "a text that begins with @ stands in quotes"},
        {"a: b: c\n", "a text with a colon stands in quotes"},
        {"a:\n  b: 1\n c: 1\n", "keys of one map begin in the same column"},
        {"a: {b: 1\n", "ends with }"},
        {"a: \"b\n", "a quote is opened and not closed"},
        {"{'a': 1}", "a key is a text in double quotes"},
        {"{\"a\": b}", "a text stands in double quotes"},
        {"{\"a\" 1}", "write \"key\": value"},
        {"{\"a\": 1 \"b\": 2}", "parted by commas"},
        {"{} {}", "one document only"},
        {"[1,]", "take it out"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct base_err err = {0};
        struct base_doc *doc = NULL;

        assert_int_equal(base_doc_parse(rows[i].text, strlen(rows[i].text), "f", &doc, &err), BASE_E_INVALID);
        assert_int_equal(err.code, BASE_E_INVALID);
        if (rows[i].remedy && !strstr(err.remedy, rows[i].remedy))
            fail_msg("%s: \"%s\" is not in \"%s\" (%s)", rows[i].text, rows[i].remedy, err.remedy, err.what);
        assert_int_equal(base_doc_parse(rows[i].text, strlen(rows[i].text), "f", &doc, NULL), BASE_E_INVALID);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(yaml_tree_with_places), cmocka_unit_test(json_tree_with_places),
        cmocka_unit_test(surprises_are_refused), cmocka_unit_test(directives_are_few),
        cmocka_unit_test(limits_hold),           cmocka_unit_test(schemas_are_strict),
        cmocka_unit_test(remedies_are_told),     cmocka_unit_test(a_byte_order_mark_is_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
