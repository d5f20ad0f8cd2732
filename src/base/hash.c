/* hash.c - SHA-256 and random names
 *
 * nettle uses the processor's own SHA instructions: four times as fast as a portable one, and a cold run hashes the
 * whole program.
 */
#include "base/hash.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

static void to_hex(const unsigned char *bytes, size_t hex_chars, char *ret_hex)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < hex_chars; i++)
        ret_hex[i] = digits[(bytes[i / 2] >> (i % 2 ? 0 : 4)) & 15];
    ret_hex[hex_chars] = '\0';
}

void base_hash_init(struct base_hash *hash)
{
    sha256_init(&hash->state);
}

void base_hash_update(struct base_hash *hash, const void *bytes, size_t count)
{
    if (count > 0)
        sha256_update(&hash->state, count, bytes);
}

void base_hash_hex(const struct base_hash *hash, char ret_hex[BASE_HASH_HEX])
{
    struct base_hash copy = *hash;
    unsigned char digest[BASE_HASH_BYTES];

    sha256_digest(&copy.state, sizeof(digest), digest);
    to_hex(digest, BASE_HASH_HEX - 1, ret_hex);
}

void base_hash_bytes_hex(const void *bytes, size_t count, char ret_hex[BASE_HASH_HEX])
{
    struct base_hash hash;

    base_hash_init(&hash);
    base_hash_update(&hash, bytes, count);
    base_hash_hex(&hash, ret_hex);
}

int base_random_hex(char *ret_hex, size_t hex_chars, struct base_err *err)
{
    unsigned char bytes[64];

    ret_hex[0] = 0;
    for (size_t done = 0; done < hex_chars;) {
        size_t part = hex_chars - done < 2 * sizeof(bytes) ? hex_chars - done : 2 * sizeof(bytes);
        ssize_t got;

        do
            got = getrandom(bytes, (part + 1) / 2, 0);
        while (got < 0 && errno == EINTR);
        if (got != (ssize_t)((part + 1) / 2)) { /* up to 256 bytes come whole */
            ret_hex[0] = 0;
            return base_err_sys(err, BASE_E_SETUP, got < 0 ? errno : EIO, "getrandom",
                                "the kernel gives no randomness");
        }
        to_hex(bytes, part, ret_hex + done);
        done += part;
    }
    return 0;
}
