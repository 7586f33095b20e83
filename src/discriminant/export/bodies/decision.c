
/* --- from scores to an answer --- */

#if DISCRIMINANT_HAS_PROBABILITIES
void discriminant_probabilities(const double *scores, double *probabilities)
{
    double top, total = 0.0;
    int k;
#if SEGMENTS
    probabilities[0] = 0.0;
    for (k = 0; k < SEGMENTS; k++)
        if (k == 0 || scores[0] >= segments[k][0])
            probabilities[1] = segments[k][3] + segments[k][2] * (scores[0] - segments[k][1]);
#else
    for (k = 0; k < DISCRIMINANT_CLASSES; k++) {
        double s = DISCRIMINANT_PLANES > 1 ? scores[k % DISCRIMINANT_PLANES] : (k == 0 ? 0.0 : scores[0]);
        probabilities[k] = slope * s + offsets[k];
    }
#endif
    top = probabilities[0];
    for (k = 1; k < DISCRIMINANT_CLASSES; k++)
        if (probabilities[k] > top)
            top = probabilities[k];
    for (k = 0; k < DISCRIMINANT_CLASSES; k++)
        total += exp(probabilities[k] - top);
    total = log(total);
    for (k = 0; k < DISCRIMINANT_CLASSES; k++)
        probabilities[k] = exp(probabilities[k] - top - total);
}
#endif

#if !DECIDE_BY_SIGN
static int largest(const double *values, int n)
{
    int best = 0, i;
    for (i = 1; i < n; i++)
        if (values[i] > values[best])
            best = i;
    return best;
}
#endif

int discriminant_decide(const double *scores)
{
    int p;
    for (p = 0; p < DISCRIMINANT_PLANES; p++)
        if (!(scores[p] <= DBL_MAX && scores[p] >= -DBL_MAX))
            return -1;
#if DECIDE_BY_SIGN
    return scores[0] > 0.0;
#elif DECIDE_BY_GAIN
    {
        double posteriors[DISCRIMINANT_CLASSES], gains[DISCRIMINANT_ANSWERS];
        int k, a;
        discriminant_probabilities(scores, posteriors);
        for (a = 0; a < DISCRIMINANT_ANSWERS; a++) {
            gains[a] = 0.0;
            for (k = 0; k < DISCRIMINANT_CLASSES; k++)
                gains[a] += posteriors[k] * advantage[k][a];
        }
        return largest(gains, DISCRIMINANT_ANSWERS);
    }
#else
    return largest(scores, DISCRIMINANT_PLANES);
#endif
}
