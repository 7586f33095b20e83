
#if CHOSEN
static int is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Whether a text of this length is the same as another that ends with NUL. */
static int same(const char *text, size_t length, const char *other)
{
    return strncmp(text, other, length) == 0 && other[length] == '\0';
}

/* What a text adds to the scores: the blanks around it do not count. */
static const double *added_by(int column, const char *text)
{
    const struct choice *c = &choices[column];
    size_t length;
    int i;
    if (text == NULL)
        return c->blank;
    while (is_space(*text))
        text++;
    length = strlen(text);
    while (length > 0 && is_space(text[length - 1]))
        length--;
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
        int readable = absent || (raw[j] <= DBL_MAX && raw[j] >= -DBL_MAX);
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
