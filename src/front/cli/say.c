/* say.c - messages on stderr, results on stdout, foreign bytes made harmless */

#include "front/cli/say.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/json.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LINE_WIDTH 79

static const char own_output[] = "standard output";

#define STATUS_READER_GONE (128 + SIGPIPE)

static bool line_is_open;

void cli_say_line_is_open(void)
{
    line_is_open = true;
}

static void begin_line(void)
{
    fputs(line_is_open ? "\nfumehood: " : "fumehood: ", stderr);
    line_is_open = false;
}

int cli_say_error(const struct base_err *err)
{
    char text[1152];

    if (err->sys_errno == EPIPE && strcmp(err->place, own_output) == 0)
        return STATUS_READER_GONE;

    begin_line();
    fprintf(stderr, "%s\n", base_err_text(err, text, sizeof(text)));
    return base_err_status(err->code);
}

int cli_say_error_view(const struct base_err *err)
{
    int status = cli_say_error(err);

    return status == 125 || status == STATUS_READER_GONE ? status : 2;
}

int cli_say_usage_if_missing(int r, struct base_err *err)
{
    bool unreadable = r == BASE_E_IO && (err->sys_errno == EACCES || err->sys_errno == EPERM);

    if (r != BASE_E_NOT_FOUND && !unreadable)
        return r;
    err->code = BASE_E_USAGE;
    return BASE_E_USAGE;
}

int cli_say_usage_if_unwritable(int r, struct base_err *err)
{
    if (r != BASE_E_IO)
        return r;
    err->code = BASE_E_USAGE;
    return BASE_E_USAGE;
}

void cli_say_note(const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' '; /* one line */
    begin_line();
    cli_say_visible(stderr, text, strlen(text));
    fputc('\n', stderr);
}

/* Terminals obey U+0080 to U+009F as they obey ESC. In JSON they stand in strings only, where an escape is the same
 * text: what is read back, and its hash, does not change. */
static void put_json(const char *text)
{
    for (;;) {
        size_t plain = strcspn(text, "\xc2\x7f"); /* how they begin, and DEL */
        (void)fwrite(text, 1, plain, stdout);
        text += plain;
        if (!*text)
            return;
        bool is_pair = *text != '\x7f';
        unsigned char last = (unsigned char)text[is_pair];
        if (last < 0xa0)
            printf("\\u%04x", last);
        else
            (void)fwrite(text, 1, 2, stdout);
        text += 1 + is_pair;
    }
}

int cli_say_json(const json_t *json, bool indented, struct base_err *err)
{
    AUTO_BUF struct base_buf buf = {0};
    AUTO_FREE char *text = NULL;

    if (indented)
        text = json_dumps(json, JSON_INDENT(2) | JSON_SORT_KEYS | JSON_REAL_PRECISION(15));
    else if (base_json_canonical(json, &buf) < 0)
        return base_err_set(err, BASE_E_NOMEM, own_output, "out of memory");
    if (indented && !text)
        return base_err_set(err, BASE_E_NOMEM, own_output, "out of memory");
    put_json(indented ? text : buf.bytes);
    fputc('\n', stdout);
    return cli_say_flush(err);
}

/* Length of the well-formed UTF-8 character at @s (at most @left bytes), 0 when there is none; *@ret_point is its code.
 */
static size_t utf8_length(const unsigned char *s, size_t left, uint32_t *ret_point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = s[0] < 0x80             ? 1
                    : (s[0] & 0xe0) == 0xc0 ? 2
                    : (s[0] & 0xf0) == 0xe0 ? 3
                    : (s[0] & 0xf8) == 0xf0 ? 4
                                            : 0;

    if (length == 0 || length > left)
        return 0;
    uint32_t point = length == 1 ? s[0] : s[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        point = point << 6 | (s[i] & 0x3f);
    }
    if (point < least[length] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
        return 0;
    *ret_point = point;
    return length;
}

/* Characters that a terminal acts on, or that hide or reorder what a person reads. */
static bool is_shown_as_it_is(uint32_t point)
{
    static const struct {
        uint32_t from, to;
    } hidden[] = {
        {0x00, 0x08},     {0x0b, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},   {0x180e, 0x180e},
        {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
    };

    for (size_t i = 0; i < ARRAY_COUNT(hidden); i++)
        if (point >= hidden[i].from && point <= hidden[i].to)
            return false;
    return true;
}

void cli_say_visible(FILE *stream, const char *bytes, size_t count)
{
    const unsigned char *s = (const unsigned char *)bytes;

    while (count > 0) {
        uint32_t point = 0;
        size_t length = utf8_length(s, count, &point);
        bool plain = length > 0 && is_shown_as_it_is(point);

        if (length == 0)
            length = 1;
        if (plain)
            (void)fwrite(s, 1, length, stream); /* the caller flushes and sees a failure there */
        else
            for (size_t i = 0; i < length; i++)
                fprintf(stream, "\\x%02x", s[i]);
        s += length;
        count -= length;
    }
}

unsigned cli_say_columns(int fd, unsigned otherwise)
{
    struct winsize size;

    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : otherwise;
}

void cli_say_wrapped(const char *text, size_t column, size_t indent)
{
    while (*text) {
        size_t room = LINE_WIDTH - column;
        size_t take = strlen(text);
        if (take > room) {
            take = room;
            while (take > 0 && text[take] != ' ')
                take--;
            if (take == 0)
                take = strcspn(text, " ");
        }
        printf("%.*s\n", (int)take, text);
        text += take;
        while (*text == ' ')
            text++;
        if (*text)
            printf("%*s", (int)indent, "");
        column = indent;
    }
}

/* Why stdout failed, when it did so in an earlier print whose errno is gone. */
static int lost_errno(void)
{
    struct pollfd fd = {.fd = STDOUT_FILENO};

    if ((fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY)
        return EBADF;
    return poll(&fd, 1, 0) == 1 && (fd.revents & POLLERR) ? EPIPE : EIO;
}

int cli_say_flush(struct base_err *err)
{
    int why;

    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    why = errno ? errno : lost_errno();
    return why == EBADF ? base_err_set(err, BASE_E_IO, own_output, "is closed")
                        : base_err_sys(err, BASE_E_IO, why, own_output, "cannot write");
}

int cli_say_end(int status)
{
    struct base_err err;

    if (cli_say_flush(&err) < 0)
        return cli_say_error(&err);
    return status;
}
