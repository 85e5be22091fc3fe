/* ---- JSON: as much of it as .zarray needs. Each returns what follows, or NULL if that is none of it ---- */

static const char *gi_json_string(const char *p, char *to, size_t room)
{
    size_t n = 0;
    if (*p++ != '"') return NULL;
    for (; *p != '"'; p++) {
        char c = *p;
        if ((unsigned char)c < ' ') return NULL;
        if (c == '\\') {
            static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/?????";
            const char       *known;
            c = *++p;
            if (c == 'u') {
                for (int i = 1; i <= 4; i++)
                    if (!p[i] || !strchr("0123456789abcdefABCDEF", p[i])) return NULL;
                p += 4;
                c = '?';
            } else if (c && (known = strchr(names, c)) != NULL) c = meant[known - names];
            else return NULL;
        }
        if (n + 1 < room) to[n++] = c;
    }
    if (room > 0) to[n] = 0;
    return p + 1;
}

static const char *gi_json_skip(const char *p, int depth)
{
    p = gi_skip_blanks(p);
    if (*p == '"') return gi_json_string(p, NULL, 0);
    if (*p != '{' && *p != '[') {
        size_t n = strspn(p, "+-.0123456789abcdefghijklmnopqrstuvwxyzEINTF");
        return n > 0 ? p + n : NULL;
    }
    char end = *p++ == '{' ? '}' : ']';
    p        = gi_skip_blanks(p);
    if (*p == end) return p + 1;
    if (depth > 30) return NULL;
    for (;;) {
        if (end == '}') {
            p = gi_json_string(gi_skip_blanks(p), NULL, 0);
            if (!p || *(p = gi_skip_blanks(p)) != ':') return NULL;
            p++;
        }
        p = gi_json_skip(p, depth + 1);
        if (!p) return NULL;
        p = gi_skip_blanks(p);
        if (*p == end) return p + 1;
        if (*p++ != ',') return NULL;
    }
}

/* The value of a key of an object, if it has it: where the value begins. */
static const char *gi_json_find(const char *object, const char *key)
{
    char        name[64];
    const char *p = gi_skip_blanks(object), *found = NULL;
    if (*p++ != '{') return NULL;
    for (p = gi_skip_blanks(p); *p == '"'; p = gi_skip_blanks(p + 1)) {
        p = gi_json_string(p, name, sizeof name);
        if (!p || *(p = gi_skip_blanks(p)) != ':') return NULL;
        p = gi_skip_blanks(p + 1);
        if (!strcmp(name, key)) found = p;
        p = gi_json_skip(p, 0);
        if (!p) return NULL;
        p = gi_skip_blanks(p);
        if (*p != ',') break;
    }
    return found;
}

/* A list of whole numbers; `too_many` beyond what an array has dimensions. */
static const char *gi_json_lengths(const char *p, int *ndim, int64_t *n, bool *too_many)
{
    if (!p || *p++ != '[') return NULL;
    *ndim = 0;
    p     = gi_skip_blanks(p);
    if (*p == ']') return p + 1;
    for (;; p++) {
        char *end;
        p             = gi_skip_blanks(p);
        errno         = 0;
        long long one = strtoll(p, &end, 10);
        if (end == p || errno == ERANGE) return NULL;
        if (*ndim == GPUARR_MAX_DIMS) {
            *too_many = true;
            return NULL;
        }
        n[(*ndim)++] = one;
        p            = gi_skip_blanks(end);
        if (*p == ']') return p + 1;
        if (*p != ',') return NULL;
    }
}
