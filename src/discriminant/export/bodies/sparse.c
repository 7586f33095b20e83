
void discriminant_scores(size_t n, const long *indices, const double *values, double *scores)
{
    size_t i;
    int p;
    for (p = 0; p < DISCRIMINANT_PLANES; p++)
        scores[p] = -thresholds[p];
    for (i = 0; i < n; i++) {
        long j = indices[i] - FIRST_INDEX;
        for (p = 0; p < DISCRIMINANT_PLANES; p++) {
            if (j < 0)
                scores[p] = NAN;
            else if (j < FEATURES) /* what the model has never seen counts for nothing */
                scores[p] += weights[j][p] * values[i];
        }
    }
}
