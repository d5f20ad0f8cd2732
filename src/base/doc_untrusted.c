/* doc_untrusted.c - read a YAML document into a tree
 *
 * The bytes may come from anybody. What makes YAML surprising is refused: anchors, aliases, tags, several documents,
 * keys that are not text. The reader walks libyaml's events, so that nothing is built that the limits do not allow.
 */
#include "base/doc_build.h"
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct reader {
    yaml_parser_t parser;
    struct base_doc_source *source;
};

static void release_reader(struct reader *reader)
{
    yaml_parser_delete(&reader->parser);
}

#define AUTO_EVENT CLEANUP(yaml_event_delete)

static int mark_err(const struct reader *reader, yaml_mark_t mark, const char *what)
{
    return base_doc_source_err(reader->source, (unsigned)mark.line + 1, (unsigned)mark.column + 1, "%s", what);
}

/* What libyaml says, and how to mend it. With @from_context the place is where the construct begins, since it notices
 * the fault only when something else comes: often a line or more too late. */
static const struct {
    const char *problem; /* a part of its text */
    bool from_context;
    const char *remedy;
} problems[] = {
    {"could not find expected ':'", true, "write \"key: value\", with a colon and a blank after it"},
    {"found unexpected end of stream", true, "a quote is opened and not closed"},
    {"mapping values are not allowed", false,
     "keys of one map begin in the same column, and a blank follows their colon; a text with a colon stands in quotes"},
    {"did not find expected key", false, "keys of one map begin in the same column"},
    {"did not find expected '-' indicator", false, "items of one list begin in the same column"},
    {"did not find expected ',' or ']'", false, "a list that begins with [ ends with ]"},
    {"did not find expected ',' or '}'", false, "a map that begins with { ends with }"},
    {"tab character", false, "indent with blanks, not with tabs"},
};

/* The byte at a mark, 0 where there is none. */
static char byte_at(const struct base_doc_source *source, yaml_mark_t mark)
{
    size_t at = 0;

    for (size_t line = 0; line < mark.line && at < source->count; at++)
        line += source->bytes[at] == '\n';
    for (size_t column = 0; column < mark.column && at < source->count; at++)
        column += ((unsigned char)source->bytes[at] & 0xc0) != 0x80;
    return at < source->count ? source->bytes[at] : '\0';
}

static void add_remedy(const struct reader *reader, const char *remedy)
{
    const struct base_doc_source *source = reader->source;
    char byte = byte_at(source, reader->parser.problem_mark);

    if (remedy)
        (void)base_err_remedy(source->err, "%s", remedy);
    else if (!strstr(reader->parser.problem, "cannot start any token"))
        return;
    else if (byte == '\t')
        (void)base_err_remedy(source->err, "indent with blanks, not with tabs");
    else if (byte > ' ' && byte < 0x7f)
        (void)base_err_remedy(source->err, "a text that begins with %c stands in quotes", byte);
}

static int scanner_err(const struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    const char *problem = parser->problem ? parser->problem : "unknown reason", *remedy = NULL;
    yaml_mark_t mark = parser->problem_mark;

    for (size_t i = 0; i < ARRAY_COUNT(problems); i++) {
        if (!strstr(problem, problems[i].problem))
            continue;
        remedy = problems[i].remedy;
        if (problems[i].from_context && parser->context)
            mark = parser->context_mark;
        break;
    }
    (void)base_doc_source_err(reader->source, (unsigned)mark.line + 1, (unsigned)mark.column + 1,
                              "not valid YAML: %s%s%s", parser->context ? parser->context : "",
                              parser->context ? ", " : "", problem);
    if (parser->problem)
        add_remedy(reader, remedy);
    return BASE_E_INVALID;
}

static int parser_err(const struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    const struct base_doc_source *source = reader->source;
    unsigned line, column;

    if (parser->error == YAML_MEMORY_ERROR)
        return base_err_set(source->err, BASE_E_NOMEM, source->place, "out of memory");
    if (parser->error != YAML_READER_ERROR)
        return scanner_err(reader);
    base_doc_offset(source, parser->problem_offset, &line, &column); /* it could not even decode the characters */
    return base_doc_source_err(source, line, column, "not valid YAML: %s",
                               parser->problem ? parser->problem : "unknown reason");
}

static int next_event(struct reader *reader, yaml_event_t *ret_event)
{
    return yaml_parser_parse(&reader->parser, ret_event) ? 0 : parser_err(reader);
}

/* Anchors and tags are refused wherever they stand. */
static int check_decoration(const struct reader *reader, const yaml_event_t *event, const yaml_char_t *anchor,
                            const yaml_char_t *tag)
{
    if (anchor)
        return mark_err(reader, event->start_mark, "anchors (&name) are not allowed");
    if (tag)
        return mark_err(reader, event->start_mark, "tags (!name) are not allowed");
    return 0;
}

static int check_event(const struct reader *reader, const yaml_event_t *event)
{
    if (event->type == YAML_ALIAS_EVENT)
        return mark_err(reader, event->start_mark, "aliases (*name) are not allowed");
    if (event->type == YAML_SCALAR_EVENT)
        return check_decoration(reader, event, event->data.scalar.anchor, event->data.scalar.tag);
    if (event->type == YAML_SEQUENCE_START_EVENT)
        return check_decoration(reader, event, event->data.sequence_start.anchor, event->data.sequence_start.tag);
    if (event->type == YAML_MAPPING_START_EVENT)
        return check_decoration(reader, event, event->data.mapping_start.anchor, event->data.mapping_start.tag);
    return 0;
}

static int scalar_text(const struct reader *reader, const yaml_event_t *event, char **ret_text)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;

    if (memchr(value, '\0', length))
        return mark_err(reader, event->start_mark, "a NUL character is not allowed");
    *ret_text = strdup(value);
    return *ret_text ? 0 : base_err_set(reader->source->err, BASE_E_NOMEM, reader->source->place, "out of memory");
}

static int read_node(struct reader *reader, const yaml_event_t *event, unsigned depth, struct base_doc **ret_doc);

static int read_list(struct reader *reader, unsigned depth, struct base_doc *list)
{
    for (struct base_doc **tail = &list->child;; tail = &(*tail)->next) {
        AUTO_EVENT yaml_event_t event = {0};
        int r = next_event(reader, &event);

        if (r < 0 || event.type == YAML_SEQUENCE_END_EVENT)
            return r;
        r = read_node(reader, &event, depth + 1, tail);
        if (r < 0)
            return r;
    }
}

static int read_pair(struct reader *reader, const yaml_event_t *key, unsigned depth, struct base_doc **tail)
{
    AUTO_EVENT yaml_event_t event = {0};
    AUTO_FREE char *text = NULL;
    int r = check_event(reader, key);

    if (r < 0)
        return r;
    if (key->type != YAML_SCALAR_EVENT)
        return mark_err(reader, key->start_mark, "a key must be text");
    r = scalar_text(reader, key, &text);
    if (r == 0)
        r = next_event(reader, &event);
    if (r == 0)
        r = read_node(reader, &event, depth + 1, tail);
    if (r < 0)
        return r;
    (*tail)->key = TAKE_PTR(text);
    (*tail)->key_line = (unsigned)key->start_mark.line + 1;
    (*tail)->key_column = (unsigned)key->start_mark.column + 1;
    return 0;
}

static int read_map(struct reader *reader, unsigned depth, struct base_doc *map)
{
    for (struct base_doc **tail = &map->child;; tail = &(*tail)->next) {
        AUTO_EVENT yaml_event_t event = {0};
        int r = next_event(reader, &event);

        if (r < 0)
            return r;
        if (event.type == YAML_MAPPING_END_EVENT)
            return base_doc_unique(reader->source, map);
        r = read_pair(reader, &event, depth, tail);
        if (r < 0)
            return r;
    }
}

static enum base_doc_kind kind_of(const yaml_event_t *event)
{
    if (event->type == YAML_MAPPING_START_EVENT)
        return BASE_DOC_MAP;
    return event->type == YAML_SEQUENCE_START_EVENT ? BASE_DOC_LIST : BASE_DOC_SCALAR;
}

/* Read the node that @event begins. *@ret_doc is set only on success. */
static int read_node(struct reader *reader, const yaml_event_t *event, unsigned depth, struct base_doc **ret_doc)
{
    AUTO_DOC struct base_doc *doc = NULL;
    int r = check_event(reader, event);

    if (r == 0)
        r = base_doc_new(reader->source, kind_of(event), depth, (unsigned)event->start_mark.line + 1,
                         (unsigned)event->start_mark.column + 1, &doc);
    if (r < 0)
        return r;
    if (doc->kind == BASE_DOC_MAP) {
        r = read_map(reader, depth, doc);
    } else if (doc->kind == BASE_DOC_LIST) {
        r = read_list(reader, depth, doc);
    } else {
        r = scalar_text(reader, event, &doc->text);
        doc->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    }
    if (r == 0)
        *ret_doc = TAKE_PTR(doc);
    return r;
}

/* Read events up to the first node of the first document. */
static int find_root(struct reader *reader, yaml_event_t *ret_event)
{
    for (;;) {
        int r;

        yaml_event_delete(ret_event);
        r = next_event(reader, ret_event);
        if (r < 0)
            return r;
        if (ret_event->type == YAML_STREAM_END_EVENT)
            return base_doc_source_err(reader->source, 1, 1, "the document is empty");
        if (ret_event->type != YAML_STREAM_START_EVENT && ret_event->type != YAML_DOCUMENT_START_EVENT)
            return 0;
    }
}

static int check_end(struct reader *reader)
{
    for (;;) {
        AUTO_EVENT yaml_event_t event = {0};
        int r = next_event(reader, &event);

        if (r < 0 || event.type == YAML_STREAM_END_EVENT)
            return r;
        if (event.type == YAML_DOCUMENT_START_EVENT)
            return mark_err(reader, event.start_mark, "a second document is not allowed");
    }
}

/* A directive is compared with all before it, and what it would be for is refused. */
#define TAG_DIRECTIVE      "%TAG"
#define TAG_DIRECTIVES_MAX 16

static int check_directives(const struct base_doc_source *source)
{
    const char *at = source->bytes, *end = source->bytes + source->count;
    unsigned line, column;

    for (int found = 0; (at = memmem(at, (size_t)(end - at), TAG_DIRECTIVE, strlen(TAG_DIRECTIVE))); at++) {
        if (++found <= TAG_DIRECTIVES_MAX)
            continue;
        base_doc_offset(source, (size_t)(at - source->bytes), &line, &column);
        return base_doc_source_err(source, line, column, "more than %d times %s", TAG_DIRECTIVES_MAX, TAG_DIRECTIVE);
    }
    return 0;
}

static int read_yaml(struct base_doc_source *source, struct base_doc **ret_doc)
{
    CLEANUP(release_reader) struct reader reader = {.source = source};
    AUTO_EVENT yaml_event_t event = {0};
    AUTO_DOC struct base_doc *doc = NULL;
    int r;

    if (!yaml_parser_initialize(&reader.parser))
        return base_err_set(source->err, BASE_E_NOMEM, source->place, "out of memory");
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)source->bytes, source->count);
    r = find_root(&reader, &event);
    if (r == 0)
        r = read_node(&reader, &event, 1, &doc);
    if (r == 0)
        r = check_end(&reader);
    if (r == 0)
        *ret_doc = TAKE_PTR(doc);
    return r;
}

#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* what some editors put before UTF-8: no part of the text */

int base_doc_parse(const char *bytes, size_t count, const char *place, struct base_doc **ret_doc, struct base_err *err)
{
    struct base_doc_source source = {.place = place, .err = err};
    size_t first = 0;
    int r;

    if (count >= 3 && memcmp(bytes, BYTE_ORDER_MARK, 3) == 0) {
        bytes += 3;
        count -= 3;
    }
    source.bytes = bytes;
    source.count = count;
    while (first < count && strchr(" \t\r\n", bytes[first]) && bytes[first] != '\0')
        first++;
    if (first < count && (bytes[first] == '{' || bytes[first] == '['))
        return base_doc_json(&source, ret_doc);
    r = check_directives(&source);
    return r < 0 ? r : read_yaml(&source, ret_doc);
}
