
#if CHOSEN
/* The bytes of the space that a text begins with, of any width, in UTF-8; 0 if it begins with none. */
static size_t space_bytes(const char *text, size_t length)
{
    const unsigned char *b = (const unsigned char *)text;
    if (length >= 1 && (b[0] == 0x20 || (b[0] >= 0x09 && b[0] <= 0x0d) || (b[0] >= 0x1c && b[0] <= 0x1f)))
        return 1;
    if (length >= 2 && b[0] == 0xc2 && (b[1] == 0x85 || b[1] == 0xa0))
        return 2;
    if (length < 3)
        return 0;
    if (b[0] == 0xe2 && b[1] == 0x80 && (b[2] <= 0x8a || b[2] == 0xa8 || b[2] == 0xa9 || b[2] == 0xaf))
        return 3;
    if ((b[0] == 0xe1 && b[1] == 0x9a && b[2] == 0x80) || (b[0] == 0xe2 && b[1] == 0x81 && b[2] == 0x9f)
        || (b[0] == 0xe3 && b[1] == 0x80 && b[2] == 0x80))
        return 3;
    return 0;
}

/* How long a text is without the spaces that it ends with. */
static size_t trimmed_length(const char *text, size_t length)
{
    size_t n = 1;
    while (n <= 3 && n <= length) {
        if (space_bytes(text + length - n, n) == n) {
            length -= n;
            n = 0;
        }
        n++;
    }
    return length;
}

/* Whether a text of this length is the same as another that ends with NUL. */
static int same(const char *text, size_t length, const char *other)
{
    return strncmp(text, other, length) == 0 && other[length] == '\0';
}

/* What a text adds to the scores: spaces around it do not count. */
static const double *added_by(int column, const char *text)
{
    const struct choice *c = &choices[column];
    size_t length, n;
    int i;
    if (text == NULL)
        return c->blank;
    length = trimmed_length(text, strlen(text));
    while ((n = space_bytes(text, length)) > 0) {
        text += n;
        length -= n;
    }
    for (i = 0; i < c->blank_count; i++)
        if (same(text, length, blank_texts[c->first_blank + i]))
            return c->blank;
    for (i = 0; i < c->level_count; i++)
        if (same(text, length, levels[c->first_level + i]))
            return level_adds[c->first_level + i];
    return c->unseen;
}
#endif

#if MEASURED
/* A value as a piece takes it: clipped, and by its logarithm where the piece has a unit. */
static double piece_value(int i, double x)
{
    double v = x < low[i] ? low[i] : x > high[i] ? high[i] : x;
    if (unit[i] > 0.0)
        v = v < 0.0 ? -log1p(-v / unit[i]) : log1p(v / unit[i]);
    return v;
}
#endif

void discriminant_scores(const discriminant_row *row, double *scores)
{
#if MEASURED
    double raw[MEASURED];
#endif
#if CHOSEN
    const char *texts[CHOSEN];
#endif
    int j, p;
#if MEASURED
    gather_numbers(row, raw);
#endif
#if CHOSEN
    gather_texts(row, texts);
#endif
    for (p = 0; p < DISCRIMINANT_PLANES; p++)
        scores[p] = -thresholds[p];
#if MEASURED
    for (j = 0; j < MEASURED; j++) {
        int absent = isnan(raw[j]), i;
        int readable = absent || (is_flag[j] ? raw[j] == 0.0 || raw[j] == 1.0 : raw[j] <= DBL_MAX && raw[j] >= -DBL_MAX);
        double added[DISCRIMINANT_PLANES];
        for (p = 0; p < DISCRIMINANT_PLANES; p++)
            added[p] = !readable ? NAN : absent ? blank[j][p] : filled[j][p];
        for (i = first_piece[j]; readable && !absent && i < first_piece[j + 1]; i++) {
            double encoded = (piece_value(i, raw[j]) - centre[i]) / scale[i];
            for (p = 0; p < DISCRIMINANT_PLANES; p++)
                added[p] += weights[i][p] * encoded;
        }
        for (p = 0; p < DISCRIMINANT_PLANES; p++)
            scores[p] += added[p];
    }
#endif
#if CHOSEN
    for (j = 0; j < CHOSEN; j++) {
        const double *added = added_by(j, texts[j]);
        for (p = 0; p < DISCRIMINANT_PLANES; p++)
            scores[p] += added[p];
    }
#endif
}
