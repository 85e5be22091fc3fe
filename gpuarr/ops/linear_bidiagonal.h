/* ---- rotations of rows, and singular values of bidiagonal matrices --------------------------------------------------------------------- */
/*  The rotations of many sweeps are kept, and then applied to the rows of vectors, which lie in strips of few columns, each in a cache; the
    threads share the strips.                                                                                                  */

enum {
    GI_STRIP           = 32,      /* columns, of many */
    GI_MOST_ROTATIONS  = 1 << 14, /* that are kept */
    GI_MOST_SWEEPS     = 256,
    GI_SWEEPS_FOR_EACH = 40 /* eigenvalue, before it is given up */
};

/* Rotations of sweeps, and the rows that they are for. */
typedef struct gi_sweeps {
    double *strips; /* of `rows` rows each; NULL: nothing to rotate */
    int64_t rows, count, width;
    int64_t along;     /* 1: sweeps go down, -1: up */
    double *rotations; /* c, s */
    int64_t used;      /* rotations */
    int     sweeps;
    int64_t first[GI_MOST_SWEEPS], begin[GI_MOST_SWEEPS + 1]; /* the row that a sweep begins with, and its first rotation */
} gi_sweeps;

static int64_t gi_strip_width(int64_t n) { return n <= 8 ? 8 : n <= 16 ? 16 : (int64_t)GI_STRIP; }

/* Numbers for n rows of n columns. */
static int64_t gi_strips_room(int64_t n) { return (n + gi_strip_width(n) - 1) / gi_strip_width(n) * gi_strip_width(n) * n; }

/* So many rotations are kept of sweeps over n rows. */
static int64_t gi_kept_rotations(int64_t n)
{
    const int64_t some = n <= GI_LINEAR_SMALL ? 8 * n : (int64_t)GI_MOST_ROTATIONS;
    return some > n ? some : n;
}

/* and for as many rows of n + 1 numbers as well. */
static int64_t gi_sweeps_room(int64_t n) { return gi_strips_room(n) + 2 * gi_kept_rotations(n) + 1; }

/* Rotations `from` to `to` of sweep i. */
static void gi_turn_sweep(const gi_sweeps *s, double *strip, int i, int64_t from, int64_t to)
{
    GI_LOOP_OF(linear)
    ()->turn(to - from, s->width, s->rotations + 2 * (s->begin[i] + from), strip + (s->first[i] + s->along * from) * s->width,
             s->along * s->width);
}

/* GI_SWEEPS_TOGETHER sweeps from i on. One may follow another that is a row ahead: at step t the first begins with row t, the next one with
   the row before. The steps that all of them have are taken together, those before and behind by one sweep after another. */
static void gi_turn_sweeps(const gi_sweeps *s, double *strip, int i)
{
    const double *rotations[GI_SWEEPS_TOGETHER];
    int64_t       starts[GI_SWEEPS_TOGETHER], counts[GI_SWEEPS_TOGETHER], from = INT64_MIN, to = INT64_MAX;
    for (int k = 0; k < GI_SWEEPS_TOGETHER; k++) {
        starts[k] = s->along * s->first[i + k] + k;
        counts[k] = s->begin[i + k + 1] - s->begin[i + k];
        from      = starts[k] > from ? starts[k] : from;
        to        = starts[k] + counts[k] < to ? starts[k] + counts[k] : to;
    }
    const bool together = to - from >= GI_SWEEPS_TOGETHER;
    for (int k = 0; k < GI_SWEEPS_TOGETHER; k++) gi_turn_sweep(s, strip, i + k, 0, together ? from - starts[k] : counts[k]);
    if (!together) return;
    for (int k = 0; k < GI_SWEEPS_TOGETHER; k++) rotations[k] = s->rotations + 2 * (s->begin[i + k] + from - starts[k]);
    GI_LOOP_OF(linear)
    ()->turn_together(to - from, s->width, rotations, strip + s->along * from * s->width, s->along * s->width);
    for (int k = 0; k < GI_SWEEPS_TOGETHER; k++) gi_turn_sweep(s, strip, i + k, to - starts[k], counts[k]);
}

static void gi_turn_strips(int64_t begin, int64_t end, void *job)
{
    const gi_sweeps *s        = (const gi_sweeps *)job;
    const int        together = s->rows > GI_STRIP ? s->sweeps / GI_SWEEPS_TOGETHER * GI_SWEEPS_TOGETHER : 0;
    for (int64_t k = begin; k < end; k++) {
        double *strip = s->strips + k * s->rows * s->width;
        for (int i = 0; i < together; i += GI_SWEEPS_TOGETHER) gi_turn_sweeps(s, strip, i);
        for (int i = together; i < s->sweeps; i++) gi_turn_sweep(s, strip, i, 0, s->begin[i + 1] - s->begin[i]);
    }
}

/* Applies the rotations that are kept. */
static void gi_sweeps_apply(gi_sweeps *s)
{
    s->begin[s->sweeps] = s->used;
    if (s->strips && s->used > 0)
        gi_parallel_bytes((double)(s->used * s->count * s->width * 8), s->count, 1, gi_turn_strips, s);
    s->used = s->sweeps = 0;
}

/* The next rotations, at most n, are a sweep that begins with that row. */
static void gi_sweep_begins(gi_sweeps *s, int64_t row, int64_t n)
{
    if (!s->strips) return;
    if (s->sweeps == GI_MOST_SWEEPS || s->used + n > gi_kept_rotations(s->rows)) gi_sweeps_apply(s);
    s->first[s->sweeps] = row;
    s->begin[s->sweeps] = s->used;
    s->sweeps++;
}

static void gi_sweep_rotates(gi_sweeps *s, double cosine, double sine)
{
    if (!s->strips) return;
    s->rotations[2 * s->used]     = cosine;
    s->rotations[2 * s->used + 1] = sine;
    s->used++;
}

/* The unit matrix of n rows, in strips, and room for rotations behind it; `room` NULL: nothing is rotated. */
static void gi_sweeps_start(gi_sweeps *s, double *room, int64_t n, int64_t along)
{
    s->strips    = room;
    s->rows      = n;
    s->along     = along;
    s->width     = gi_strip_width(n);
    s->count     = (n + s->width - 1) / s->width;
    s->rotations = room ? room + gi_strips_room(n) : NULL;
    s->used = s->sweeps = 0;
    if (!room) return;
    memset(room, 0, (size_t)gi_strips_room(n) * sizeof *room);
    for (int64_t i = 0; i < n; i++) room[(i / s->width * n + i) * s->width + i % s->width] = 1;
}

GI_BEGIN_FAST
static double gi_length_of(double x, double y) /* sqrt(x * x + y * y) */
{
    const double square = x * x + y * y;
    return square > 1e-280 && square < 1e280 ? gi_root_f64(square) : gi_hypot_f64(x, y);
}

/* c * f + s * g = r, c * g = s * f. */
static double gi_rotation(double f, double g, double *c, double *s)
{
    const double up = gi_abs_f64(f) + gi_abs_f64(g) < 0x1p-900 ? 0x1p600 : 1; /* what is denormal has fewer bits */
    const double x = f * up, y = g * up, r = gi_length_of(x, y);
    *c = r == 0 ? 1 : x / r;
    *s = r == 0 ? 0 : y / r;
    return r / up;
}

/* The smaller singular value of {{ f, g }, { 0, h }}. */
static double gi_least_singular(double f, double g, double h)
{
    f                = gi_abs_f64(f);
    h                = gi_abs_f64(h);
    g                = gi_abs_f64(g);
    const double low = f < h ? f : h, high = f < h ? h : f;
    if (low == 0) return 0;
    const double most = high > g ? high : g, sum = (high + low) / most, apart = (high - low) / most, beside = g / most;
    return 2 * (low / most) * high / (gi_length_of(sum, beside) + gi_length_of(apart, beside));
}

/* A sweep over the rows l to m, with that shift, or without one. */
static void gi_svd_sweep(double *d, double *e, int64_t l, int64_t m, double shift, gi_sweeps *left, gi_sweeps *right)
{
    double c = 1, s = 0, old_c = 1, old_s = 0, f, g, r;
    gi_sweep_begins(left, l, m - l);
    gi_sweep_begins(right, l, m - l);
    if (shift == 0) {
        for (int64_t i = l; i < m; i++) {
            r = gi_rotation(d[i] * c, e[i], &c, &s);
            if (i > l) e[i - 1] = old_s * r;
            d[i] = gi_rotation(old_c * r, d[i + 1] * s, &old_c, &old_s);
            gi_sweep_rotates(right, c, s);
            gi_sweep_rotates(left, old_c, old_s);
        }
        r        = d[m] * c;
        d[m]     = r * old_c;
        e[m - 1] = r * old_s;
        return;
    }
    f = (gi_abs_f64(d[l]) - shift) * ((d[l] < 0 ? -1 : 1) + shift / d[l]);
    g = e[l];
    for (int64_t i = l; i < m; i++) {
        r = gi_rotation(f, g, &c, &s);
        if (i > l) e[i - 1] = r;
        f        = c * d[i] + s * e[i];
        e[i]     = c * e[i] - s * d[i];
        g        = s * d[i + 1];
        d[i + 1] = c * d[i + 1];
        gi_sweep_rotates(right, c, s);
        d[i]     = gi_rotation(f, g, &c, &s);
        f        = c * e[i] + s * d[i + 1];
        d[i + 1] = c * d[i + 1] - s * e[i];
        if (i + 1 < m) {
            g        = s * e[i + 1];
            e[i + 1] = c * e[i + 1];
        }
        gi_sweep_rotates(left, c, s);
    }
    e[m - 1] = f;
}

/* d becomes the singular values, in any order and with any sign. False: they do not converge. */
static bool gi_svd_sweeps(double *d, double *e, int64_t n, gi_sweeps *left, gi_sweeps *right)
{
    int64_t sweeps = GI_SWEEPS_FOR_EACH * n;
    for (int64_t m = n - 1; m > 0;) {
        int64_t l     = m;
        double  least = gi_abs_f64(d[m]), most = least;
        for (; l > 0; l--) {
            const double beside = gi_abs_f64(e[l - 1]), size = gi_abs_f64(d[l - 1]);
            if (beside <= DBL_EPSILON / 2 * (gi_abs_f64(d[l]) + size) || beside < DBL_MIN) break;
            least = size < least ? size : least;
            most  = size > most ? size : most;
            most  = beside > most ? beside : most;
        }
        if (l > 0) e[l - 1] = 0;
        if (l == m) {
            m--;
            continue;
        }
        if (sweeps-- == 0) return false;
        double shift = least <= DBL_EPSILON * most ? 0 : gi_least_singular(d[m - 1], e[m - 1], d[m]);
        if (gi_abs_f64(shift) <= 0x1p-26 * gi_abs_f64(d[l])) shift = 0; /* not by squares, which may be 0 */
        gi_svd_sweep(d, e, l, m, shift, left, right);
    }
    gi_sweeps_apply(left);
    gi_sweeps_apply(right);
    return true;
}

/* ---- singular values alone --------------------------------------------------------------------------------------------------- */
/*  Their squares, by the differential quotient-difference algorithm with shifts (Fernando and Parlett, 1994): q and e are the squares of what
    stands in the diagonal and beside it, and each step takes its shift off all of them. So the least one comes to stand last. */

/* What a step finds of the next matrix: bounds of its least value. */
typedef struct gi_qd_found {
    double  last, before;  /* that the last row has, and the row before it */
    double  others, above; /* the least one of the other rows, and without the row before as well */
    int64_t row;           /* where the shift is seen to be too large; all rows: it is not, or in the last one alone */
} gi_qd_found;

/* One step over the rows l to m, from q and e to other places. False: the shift is too large. */
static bool gi_qd_step(int64_t l, int64_t m, double shift, const double *q, const double *e, double *to_q, double *to_e,
                       gi_qd_found *f)
{
    double d  = q[l] - shift;
    f->others = f->above = DBL_MAX;
    for (f->row = l; f->row < m && d >= 0; f->row++) {
        const int64_t i   = f->row;
        const double  sum = d + e[i], ratio = q[i + 1] / sum;
        f->above  = f->others;
        f->others = d < f->others ? d : f->others;
        f->before = d;
        to_q[i]   = sum;
        to_e[i]   = e[i] * ratio;
        d         = d * ratio - shift;
    }
    to_q[f->row] = f->last = d;
    return d >= 0;
}

/* The shift of the next step: where the least value is that of the last row, the Rayleigh quotient of the vector for which all other rows
   vanish, less a part of its residual; else, and while that is large, a share of the least bound, which grows. */
static double gi_qd_shift(int64_t l, int64_t m, const double *q, const double *e, const gi_qd_found *f, double *share)
{
    double sum = f->last <= f->others ? 0 : 1, term = 1;
    for (int64_t i = m - 1; i >= l && sum < 0.5; i--) {
        term = e[i] < q[i] ? term * (e[i] / q[i]) : 1;
        sum += term;
        if (100 * term < sum) break;
    }
    sum *= 1.05;
    if (sum < 0.5) {
        *share = 0.25;
        return f->last * (1 - 0.25 * gi_root_f64(sum)) / (1 + sum);
    }
    const double shift = *share * (f->last < f->others ? f->last : f->others);
    *share += (1 - *share) / 3;
    return shift;
}

static void gi_turn_numbers(double *x, int64_t n)
{
    for (int64_t i = 0, j = n - 1; i < j; i++, j--) {
        const double t = x[i];
        x[i]           = x[j];
        x[j]           = t;
    }
}

/* gi_svd_sweeps without vectors; room: 5 n numbers. False: they do not converge, and d and e are as they were. */
static bool gi_qd_values(double *d, const double *e, int64_t n, double *room)
{
    const double square = DBL_EPSILON * DBL_EPSILON;
    double      *q = room, *b = room + n, *to_q = room + 2 * n, *to_b = room + 3 * n, *values = room + 4 * n;
    double       shifts = 0, rest = 0, share = 0.25; /* of all steps, and what rounding leaves out */
    int64_t      left  = GI_SWEEPS_FOR_EACH * n;
    bool         known = false;
    gi_qd_found  found, next;
    memset(&found, 0, sizeof found);
    for (int64_t i = 0; i < n; i++) {
        q[i] = d[i] * d[i];
        b[i] = i + 1 < n ? e[i] * e[i] : 0;
    }
    for (int64_t l = 0, m = n - 1;;) {
        if (m == l || b[m - 1] <= square * (shifts + q[m])) {
            values[m]    = shifts + (q[m] + rest);
            found.last   = found.before;
            found.others = found.above;
            if (m-- > l) continue;
            if (m < 0) break;
            shifts = values[m]; /* of the rows before, that were left */
            rest   = 0;
            known  = false;
            for (l = m; l > 0 && b[l - 1] >= 0; l--) {}
            continue;
        }
        int64_t first = m - 1;
        while (first > l && b[first - 1] > square * (shifts + q[first - 1])) first--;
        if (first > l) { /* the rows before are left until those behind are done */
            values[first - 1] = shifts + rest;
            b[first - 1]      = -1;
            memcpy(to_q + l, q + l, (size_t)(first - l) * 8);
            memcpy(to_b + l, b + l, (size_t)(first - l) * 8);
            l     = first;
            known = false;
        }
        if (!known && 1.5 * q[l] < q[m]) { /* small values belong to the end */
            gi_turn_numbers(q + l, m - l + 1);
            gi_turn_numbers(b + l, m - l);
        }
        double shift = known ? gi_qd_shift(l, m, q, b, &found, &share) : 0;
        for (int again = 0; !gi_qd_step(l, m, shift, q, b, to_q, to_b, &next); again++) {
            if (shift == 0 || left-- <= 0) return false;
            /* in the last row alone: that is a bound of the least value, and near to it (Rutishauser, 1960) */
            if (next.row == m && again == 0 && shift + next.last > 0) shift = (shift + next.last) * (1 - 2 * DBL_EPSILON);
            else shift = again < 2 ? shift / 4 : 0;
        }
        if (left-- <= 0) return false;
        found              = next;
        known              = true;
        const double total = shifts + shift;
        rest += shift - (total - shifts);
        shifts    = total;
        double *t = q;
        q         = to_q;
        to_q      = t;
        t         = b;
        b         = to_b;
        to_b      = t;
    }
    for (int64_t i = 0; i < n; i++) d[i] = gi_root_f64(values[i]);
    return true;
}
GI_END_FAST

/* The places of numbers in ascending order. */
static void gi_order_numbers(const double *x, int64_t n, int64_t *order, int64_t *spare)
{
    for (int64_t i = 0; i < n; i++) order[i] = i;
    for (int64_t width = 1; width < n; width *= 2) { /* merging */
        for (int64_t at = 0; at < n; at += 2 * width) {
            int64_t i = at, middle = at + width < n ? at + width : n, j = middle, end = at + 2 * width < n ? at + 2 * width : n;
            for (int64_t k = at; k < end; k++)
                spare[k] = i < middle && (j == end || x[order[i]] <= x[order[j]]) ? order[i++] : order[j++];
        }
        memcpy(order, spare, (size_t)n * sizeof *order);
    }
}

/* ---- of large ones, with vectors -------------------------------------------------------------------------------------------------------- */
/*  Divide and conquer (Gu and Eisenstat, 1995): without one of its rows the matrix falls into two. In terms of their singular vectors that row
    is z, above a diagonal of their singular values d, and the squares of those of the whole are the roots x of 1 + sum z^2 / (d^2 - x). Where z
    is 0, or two d are equal, up to rounding, there is nothing to join, and a row is left out.                                   */

typedef struct gi_conquer {
    const char *site;
    double     *d, *e; /* n rows have d[i] in column i and e[i] in the next: n + 1 columns; d becomes the singular values */
    double     *left, *right; /* vectors, as rows, `next` apart: n, and n + 1; left: NULL where they are not wanted */
    int64_t     next;
    bool        lost;                        /* they do not converge */
    int64_t     first, n, m;                 /* rows that are joined, and how many are not left out: */
    double     *poles, *z, *weights, *roots; /* their d, ascending, z, z^2, and the new d */
    double     *scales, *middle;             /* of each new vector: its length, and its number for the row between */
    double     *apart;                       /* (m, m): the square of a pole less a root */
    double     *factors, *rows;              /* the new vectors in terms of the rows, and the rows */
    int64_t    *places, *spare;              /* rows, by their d; then as they lie in `rows` */
    int64_t    *group;                       /* the pole of each row of `rows` */
    char       *sides;                       /* 1: a row of vectors has numbers in the first part, 2: in the second */
    double     *of;                          /* left or right, whichever is worked on */
} gi_conquer;

enum { GI_CONQUERED = 31 }; /* rows that are not divided */

GI_BEGIN_FAST
/* The sums of weights / (poles - x), and of its derivative. */
static void gi_pole_sums(int64_t n, const double *poles, const double *weights, double x, double *sum, double *slope)
{
    double  sums[8] = { 0 }, slopes[8] = { 0 };
    int64_t k = 0;
    for (; k + 8 <= n; k += 8)
        for (int i = 0; i < 8; i++) {
            const double r = 1 / (poles[k + i] - x), term = weights[k + i] * r;
            sums[i] += term;
            slopes[i] += term * r;
        }
    for (int i = 0; k < n; k++, i++) {
        const double r = 1 / (poles[k] - x), term = weights[k] * r;
        sums[i] += term;
        slopes[i] += term * r;
    }
    for (int half = 4; half > 0; half /= 2)
        for (int i = 0; i < half; i++) {
            sums[i] += sums[i + half];
            slopes[i] += slopes[i + half];
        }
    *sum   = sums[0];
    *slope = slopes[0];
}

/* The root between the poles of a x^2 - b x + c. */
static double gi_root_between(double a, double b, double c)
{
    const double root = gi_root_f64(gi_abs_f64(b * b - 4 * a * c));
    return b > 0 ? 2 * c / (b + root) : (b - root) / (2 * a);
}

static void gi_poles_from(const gi_conquer *c, int64_t p, double *row)
{
    for (int64_t k = 0; k < c->m; k++) row[k] = (c->poles[k] - c->poles[p]) * (c->poles[k] + c->poles[p]);
}

/* Root i: behind pole i, and before the next. It is found as what lies between it and the nearer one, by rational interpolation (Li, 1993),
   or by halving where that leads nowhere. */
static void gi_find_root(const gi_conquer *c, int64_t i)
{
    const int64_t m    = c->m;
    const bool    last = i + 1 == m;
    double       *row = c->apart + i * m, total = 0, psi, phi, by_psi, by_phi;
    int64_t       p = i;
    gi_poles_from(c, p, row);
    for (int64_t k = 0; k < m && last; k++) total += c->weights[k];
    const double gap = last ? 2 * total : row[i + 1], own = c->weights[i], other = last ? 0 : c->weights[i + 1];
    gi_pole_sums(i + 1, row, c->weights, gap / 2, &psi, &by_psi);
    gi_pole_sums(m - i - 1, row + i + 1, c->weights + i + 1, gap / 2, &phi, &by_phi);
    const double f = 1 + psi + phi, inner = f + 2 * own / gap - 2 * other / gap;
    double       low = 0, high = gap / 2, x;
    if (f < 0 && !last) {
        gi_poles_from(c, ++p, row);
        low  = -high;
        high = 0;
    }
    const double below = p == i ? 0 : -gap, above = p == i ? gap : 0;
    x = gi_root_between(inner, inner * (below + above) + own + other, own * above + other * below);
    for (int step = 0; step < 200; step++) {
        if (!(x > low && x < high)) x = low + (high - low) / 2;
        if (x <= low || x >= high) break;
        gi_pole_sums(i + 1, row, c->weights, x, &psi, &by_psi);
        gi_pole_sums(m - i - 1, row + i + 1, c->weights + i + 1, x, &phi, &by_phi);
        const double value = 1 + psi + phi, slope = by_psi + by_phi, to = below - x, from = above - x;
        if (gi_abs_f64(value) <= 8 * DBL_EPSILON * (1 - psi + phi)) break;
        if (value < 0) low = x;
        else high = x;
        const double rest =
            p == i ? value - from * slope + gap * own / (to * to) : value - to * slope - gap * other / (from * from);
        const double by = gi_root_between(rest, (to + from) * value - to * from * slope, to * from * value);
        if (x + by == x) break;
        x = step % 8 == 7 ? low + (high - low) / 2 : x + by;
    }
    for (int64_t k = 0; k < m; k++) row[k] -= x;
    c->roots[i] = c->poles[p] + x / (c->poles[p] + gi_root_f64(c->poles[p] * c->poles[p] + x));
}

static void gi_find_roots(int64_t begin, int64_t end, void *job)
{
    for (int64_t i = begin; i < end; i++) gi_find_root((const gi_conquer *)job, i);
}

/* The z for which the roots that were found are the exact ones: with it the vectors are orthogonal. */
static void gi_exact_z(int64_t begin, int64_t end, void *job)
{
    enum { WIDE = 64 };
    const gi_conquer *c    = (const gi_conquer *)job;
    const int64_t     m    = c->m;
    const int64_t     from = begin * WIDE, to = end * WIDE < m ? end * WIDE : m;
    double           *w = c->weights;
    const double     *p = c->poles, *row = c->apart + (m - 1) * m;
    for (int64_t k = from; k < to; k++) w[k] = -row[k];
    for (int64_t i = 0; i + 1 < m; i++) {
        row                  = c->apart + i * m;
        const int64_t middle = i + 1 < from ? from : i + 1 < to ? i + 1 : to;
        for (int64_t k = from; k < middle; k++) w[k] *= row[k] / ((p[i + 1] - p[k]) * (p[i + 1] + p[k]));
        for (int64_t k = middle; k < to; k++) w[k] *= row[k] / ((p[k] - p[i]) * (p[k] + p[i]));
    }
    for (int64_t k = from; k < to; k++) c->z[k] = c->z[k] < 0 ? -gi_root_f64(gi_abs_f64(w[k])) : gi_root_f64(gi_abs_f64(w[k]));
}

static void gi_right_factors(int64_t begin, int64_t end, void *job)
{
    const gi_conquer *c = (const gi_conquer *)job;
    const int64_t     m = c->m;
    for (int64_t i = begin; i < end; i++) {
        double *row = c->factors + i * m;
        for (int64_t k = 0; k < m; k++) row[k] = c->z[c->group[k]] / c->apart[i * m + c->group[k]];
        c->scales[i] = gi_root_f64(GI_LOOP_OF(linear)()->dot(m, row, row));
        for (int64_t k = 0; k < m; k++) row[k] = row[k] / c->scales[i];
    }
}

/* The matrix times a right vector is the left one. */
static void gi_left_factors(int64_t begin, int64_t end, void *job)
{
    const gi_conquer *c = (const gi_conquer *)job;
    const int64_t     m = c->m;
    for (int64_t i = begin; i < end; i++) {
        double *row = c->factors + i * m;
        for (int64_t k = 0; k < m; k++) row[k] = row[k] * c->poles[c->group[k]];
        const double between = 1 / c->scales[i];
        const double length  = gi_root_f64(GI_LOOP_OF(linear)()->dot(m, row, row) + between * between);
        for (int64_t k = 0; k < m; k++) row[k] = row[k] / length;
        c->middle[i] = -between / length;
    }
}

/* x and y become c * x + s * y and c * y - s * x. */
static void gi_rotate_two(double *x, double *y, int64_t n, double c, double s)
{
    for (int64_t k = 0; k < n; k++) {
        const double old = x[k];
        x[k]             = c * old + s * y[k];
        y[k]             = c * y[k] - s * old;
    }
}

static double *gi_vector_of(const gi_conquer *c, double *of, int64_t i) { return of + (c->first + i) * c->next + c->first; }

static void gi_copy_vectors(int64_t begin, int64_t end, void *job)
{
    const gi_conquer *c = (const gi_conquer *)job;
    for (int64_t i = begin; i < end; i++)
        memcpy(c->rows + i * (c->n + 1), gi_vector_of(c, c->of, c->places[i]), (size_t)(c->n + 1) * 8);
}

/* Rows that are left out come last. */
static void gi_put_vectors(int64_t begin, int64_t end, void *job)
{
    const gi_conquer *c = (const gi_conquer *)job;
    for (int64_t i = begin; i < end; i++) {
        double *to = gi_vector_of(c, c->of, i);
        if (i < c->m) memset(to, 0, (size_t)(c->n + 1) * 8);
        else memcpy(to, c->rows + i * (c->n + 1), (size_t)(c->n + 1) * 8);
    }
}

/* The new vectors: of those rows the first `firsts` have numbers in the first part of `half` columns, those from `seconds` on in the other. */
static bool gi_join_vectors(gi_conquer *c, double *of, int64_t half, int64_t firsts, int64_t seconds)
{
    const int64_t m = c->m, n = c->n;
    c->of = of;
    gi_parallel_bytes((double)(n * n) * 16, n, 16, gi_copy_vectors, c);
    gi_parallel_bytes((double)(n * n) * 16, n, 16, gi_put_vectors, c);
    for (int part = 0; part < 2; part++) {
        const int64_t  k = part ? m - seconds : firsts, at = part ? half : 0, row = part ? seconds : 0;
        const gi_dense from = { c->rows + row * (n + 1) + at, 1, n + 1, 0 },
                       to   = { gi_vector_of(c, of, 0) + at, 1, c->next, 0 };
        gi_product p        = gi_linear_product(c->factors + row, m, k, &from, &to, part ? n + 1 - half : half);
        p.a.row             = m * 8;
        if (k > 0 && !gi_multiply_more(c->site, &p)) return false;
    }
    return true;
}

/* Leaves out what is near to a solution, and rotates rows of vectors so that more is. c->places: sorted, row `middle` first. */
static void gi_leave_out(gi_conquer *c, const double *z, const double *d, int64_t middle)
{
    const int64_t wide  = c->n + 1;
    const double  near  = 8 * DBL_EPSILON;
    double        first = z[middle];
    int64_t       out   = c->n;
    c->m                = 1;
    c->spare[0]         = middle;
    c->poles[0]         = 0;
    for (int64_t i = 1; i < c->n; i++) {
        const int64_t j = c->places[i], last = c->spare[c->m - 1];
        double        at = z[j];
        if (gi_abs_f64(at) > near && d[j] <= near) { /* what stands in two columns of a row comes into one */
            const double r = gi_length_of(first, at);
            gi_rotate_two(gi_vector_of(c, c->right, middle), gi_vector_of(c, c->right, j), wide, first / r, at / r);
            first = r;
            at    = 0;
        }
        if (gi_abs_f64(at) <= near) {
            c->spare[--out] = j;
            continue;
        }
        if (c->m > 1 && d[j] - c->poles[c->m - 1] <= near) {
            const double before = c->z[c->m - 1], r = gi_length_of(before, at);
            for (int side = 0; side < (c->left ? 2 : 1); side++)
                gi_rotate_two(gi_vector_of(c, side ? c->left : c->right, j), gi_vector_of(c, side ? c->left : c->right, last),
                              wide, at / r, before / r);
            at          = r;
            c->sides[j] = c->sides[last] = (char)(c->sides[j] | c->sides[last]);
            c->spare[--out]              = last;
            c->m--;
        }
        c->spare[c->m] = j;
        c->poles[c->m] = d[j];
        c->z[c->m++]   = at;
    }
    c->z[0] = gi_abs_f64(first) > near ? first : near;
}

/* The singular values and vectors of rows `first` to first + n, from those of the rows before and behind row `middle` of them. */
static bool gi_conquer_join(gi_conquer *c, int64_t first, int64_t n, int64_t middle)
{
    double      *d = c->d + first, *z = c->roots, *one = c->right + first * c->next + first, *null = one + n * c->next;
    const double alpha = d[middle], beta = c->e[first + middle];
    c->first = first;
    c->n     = n;
    for (int64_t i = 0; i <= n; i++)
        z[i] = i <= middle ? alpha * one[i * c->next + middle] : beta * one[i * c->next + middle + 1];
    const double r = gi_length_of(z[middle], z[n]); /* z[middle] = r, and z[n] = 0 */
    if (r > 0) gi_rotate_two(one + middle * c->next, null, n + 1, z[middle] / r, z[n] / r);
    z[middle] = r;
    d[middle] = -1;
    gi_order_numbers(d, n, c->places, c->spare);
    d[middle] = 0;
    for (int64_t i = 0; i < n; i++) c->sides[i] = i < middle ? 1 : i > middle ? 2 : 3;
    gi_leave_out(c, z, d, middle);
    const int64_t m      = c->m;
    int64_t       firsts = 0, seconds = 0, at = 0;
    for (int side = 1; side < 4; side++) { /* those of the first part, of both, of the second */
        const char wanted = side == 1 ? 1 : side == 2 ? 3 : 2;
        for (int64_t k = 0; k < m; k++)
            if (c->sides[c->spare[k]] == wanted) {
                c->group[at]    = k;
                c->places[at++] = c->spare[k];
            }
        if (side == 1) seconds = at;
        if (side == 2) firsts = at;
    }
    for (int64_t i = m; i < n; i++) c->places[i] = c->spare[i];
    for (int64_t i = m; i < n; i++) c->apart[i] = d[c->places[i]];
    for (int64_t i = m; i < n; i++) d[i] = c->apart[i];
    for (int64_t k = 0; k < m; k++) c->weights[k] = c->z[k] * c->z[k];
    gi_parallel_bytes((double)(m * m) * 64, m, 1 + 256 / m, gi_find_roots, c);
    gi_parallel_bytes((double)(m * m) * 16, (m + 63) / 64, 1, gi_exact_z, c);
    gi_parallel_bytes((double)(m * m) * 16, m, 1 + 1024 / m, gi_right_factors, c);
    memcpy(d, c->roots, (size_t)m * 8);
    if (!gi_join_vectors(c, c->right, middle + 1, firsts, seconds)) return false;
    if (!c->left) return true;
    gi_parallel_bytes((double)(m * m) * 16, m, 1 + 1024 / m, gi_left_factors, c);
    if (!gi_join_vectors(c, c->left, middle + 1, firsts, seconds)) return false;
    for (int64_t i = 0; i < m; i++) gi_vector_of(c, c->left, i)[middle] = c->middle[i];
    return true;
}

/* A few rows, below which stand zeros. */
static void gi_conquer_few(gi_conquer *c, int64_t first, int64_t n)
{
    double   *d = c->roots, *e = c->z;
    gi_sweeps turned[2];
    gi_sweeps_start(&turned[0], c->left ? c->apart : NULL, n + 1, 1);
    gi_sweeps_start(&turned[1], c->factors, n + 1, 1);
    memcpy(d, c->d + first, (size_t)n * 8);
    memcpy(e, c->e + first, (size_t)n * 8);
    d[n] = 0;
    c->lost |= !gi_svd_sweeps(d, e, n + 1, &turned[0], &turned[1]);
    for (int64_t i = 0; i <= n; i++) {
        double *left    = c->left ? c->left + (first + i) * c->next + first : NULL,
               *right   = c->right + (first + i) * c->next + first;
        const double *x = turned[1].strips + i * turned[1].width;
        for (int64_t k = 0; k <= n; k++) right[k] = d[i] < 0 ? -x[k] : x[k];
        if (i == n) break;
        if (left) memcpy(left, turned[0].strips + i * turned[0].width, (size_t)n * 8);
        c->d[first + i] = gi_abs_f64(d[i]);
    }
}

static bool gi_conquer_rows(gi_conquer *c, int64_t first, int64_t n)
{
    if (n <= GI_CONQUERED) {
        gi_conquer_few(c, first, n);
        return true;
    }
    return gi_conquer_rows(c, first, n / 2) && gi_conquer_rows(c, first + n / 2 + 1, n - n / 2 - 1) &&
           gi_conquer_join(c, first, n, n / 2);
}

/* The singular values of n rows, in any order, with vectors as rows of n + 1 numbers in `left`, unless it is NULL, and `right`. False with
   an error, or if they do not converge: *lost. */
static bool gi_conquer_bidiagonal(const char *site, double *d, double *e, int64_t n, double *left, double *right, bool *lost)
{
    const size_t bytes = (size_t)((3 * n + 10) * (n + 1)) * sizeof *d;
    gi_conquer   c;
    double      *at = (double *)gi_mem_alloc(site, bytes), size = 0;
    int          exponent = 0;
    if (!at) return false;
    memset(&c, 0, sizeof c);
    c.site                    = site;
    c.d                       = d;
    c.e                       = e;
    c.left                    = left;
    c.right                   = right;
    c.next                    = n + 1;
    double **const  numbers[] = { &c.poles, &c.z, &c.weights, &c.roots, &c.scales, &c.middle };
    int64_t **const places[]  = { &c.places, &c.spare, &c.group };
    c.apart                   = at;
    c.factors                 = at + n * (n + 1);
    c.rows                    = at + 2 * n * (n + 1);
    at += 3 * n * (n + 1);
    for (int k = 0; k < 6; k++, at += n + 1) *numbers[k] = at;
    for (int k = 0; k < 3; k++, at += n + 1) *places[k] = (int64_t *)(void *)at;
    c.sides  = (char *)at;
    e[n - 1] = 0;
    memset(right, 0, (size_t)((n + 1) * (n + 1)) * sizeof *right);
    if (left) memset(left, 0, (size_t)(n * (n + 1)) * sizeof *left);
    for (int64_t i = 0; i < n; i++) {
        size = gi_abs_f64(d[i]) > size ? gi_abs_f64(d[i]) : size;
        size = gi_abs_f64(e[i]) > size ? gi_abs_f64(e[i]) : size;
    }
    for (int64_t i = 0; i <= n && size == 0; i++) {
        right[i * (n + 2)] = 1;
        if (left && i < n) left[i * (n + 2)] = 1;
    }
    (void)frexp(size, &exponent);
    for (int64_t i = 0; i < n; i++) {
        d[i] = ldexp(d[i], -exponent);
        e[i] = ldexp(e[i], -exponent);
    }
    const bool done = size == 0 || gi_conquer_rows(&c, 0, n);
    for (int64_t i = 0; i < n; i++) d[i] = ldexp(d[i], exponent);
    *lost = c.lost;
    gi_mem_release(c.apart, bytes);
    return done;
}
GI_END_FAST
