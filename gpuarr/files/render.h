/* ---- colour maps ------------------------------------------------------------------------------------------------- */

/*  matplotlib's maps of 256 colours by a few control points with straight lines between them. The points were fitted to the
    maps: no channel of any colour is off by more than 1 of 255. RdBu is ColorBrewer's.                                     */
typedef struct gi_colormap {
    const char *name;
    int         points;
    uint32_t    rgb[33];
} gi_colormap;

static const gi_colormap gi_colormaps[] = {
    { "viridis", 33, { 0x440054, 0x460c5f, 0x48186a, 0x482273, 0x472c7b, 0x453681, 0x423f85, 0x3e4989, 0x3a528a,
                       0x375a8c, 0x32628d, 0x2f6a8d, 0x2c728e, 0x28798e, 0x26818e, 0x23888d, 0x20908c, 0x1e978a,
                       0x1e9e88, 0x21a684, 0x27ad80, 0x31b47a, 0x3dbc74, 0x4bc26c, 0x5cc862, 0x6ece58, 0x81d34c,
                       0x95d73f, 0xaadc31, 0xc0de24, 0xd4e219, 0xeae418, 0xfde724 } },
    { "gray", 2, { 0x000000, 0xffffff } },
    { "gray_r", 2, { 0xffffff, 0x000000 } },
    { "inferno", 33, { 0x000002, 0x020212, 0x0a0623, 0x140b36, 0x200c4a, 0x2e0a5a, 0x3c0865, 0x490b6a, 0x560f6d,
                       0x63146e, 0x70196e, 0x7c1d6c, 0x89226a, 0x952666, 0xa22b61, 0xaf305b, 0xba3655, 0xc63d4d,
                       0xd14544, 0xda4e3b, 0xe35932, 0xea6428, 0xf1711e, 0xf57e13, 0xf98c09, 0xfb9b05, 0xfbaa0e,
                       0xfbb91e, 0xf8c932, 0xf5d948, 0xf1e864, 0xf1f585, 0xfcfea5 } },
    { "RdBu_r",
      11,
      { 0x043061, 0x2165ab, 0x4292c3, 0x92c5dd, 0xd0e4f0, 0xf7f7f7, 0xfcdac6, 0xf4a581, 0xd65f4d, 0xb1182a, 0x67001f } },
};

/* The 256 colours of a map; false if there is none of that name. */
static bool gi_colours(const char *name, unsigned char colours[256][3])
{
    const gi_colormap *map = NULL;
    for (size_t i = 0; i < sizeof gi_colormaps / sizeof *gi_colormaps; i++)
        if (strcmp(name, gi_colormaps[i].name) == 0) map = &gi_colormaps[i];
    if (!map) return false;
    for (int i = 0; i < 256; i++) {
        int at = i * (map->points - 1), k = at / 255, part = at % 255; /* between points k and k + 1 */
        if (k == map->points - 1) k--, part = 255;
        for (int c = 0; c < 3; c++) {
            int shift = 16 - 8 * c, p = (int)(map->rgb[k] >> shift & 255), q = (int)(map->rgb[k + 1] >> shift & 255);
            colours[i][c] = (unsigned char)((p * (255 - part) + q * part + 127) / 255);
        }
    }
    return true;
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

#define GI_INK 0x262626u

typedef struct gi_canvas {
    unsigned char *pixels; /* red, green, blue */
    int64_t        rows, columns;
} gi_canvas;

/* A rectangle of one colour, as far as it lies on the canvas. */
static void gi_fill_box(gi_canvas *canvas, int64_t x, int64_t y, int64_t width, int64_t height, uint32_t rgb)
{
    for (int64_t r = y < 0 ? 0 : y; r < y + height && r < canvas->rows; r++)
        for (int64_t c = x < 0 ? 0 : x; c < x + width && c < canvas->columns; c++) {
            unsigned char *p = canvas->pixels + 3 * (r * canvas->columns + c);
            p[0]             = (unsigned char)(rgb >> 16 & 255);
            p[1]             = (unsigned char)(rgb >> 8 & 255);
            p[2]             = (unsigned char)(rgb & 255);
        }
}

/* Letters are 5 wide and 7 high (and one row below the line), in bands of 16, with a column between them. */
enum { GI_FONT_BANDS = 6, GI_FONT_ROWS = 8, GI_FONT_HEIGHT = 7, GI_FONT_STEP = 6 };
/* clang-format off */
static const char *const gi_font[GI_FONT_BANDS * GI_FONT_ROWS] = {
    /*  !"#$%&'()*+,-./ */
    "        #    # #   # #    #   ##     ##     #      #   #                                      #",
    "        #    # #   # #   #### ##  # #  #    #     #     #     #     #                         #",
    "        #    # #  ##### # #      #  # #    #     #       #  # # #   #                        # ",
    "        #          # #   ###    #    #           #       #   ###  #####       #####         #  ",
    "        #         #####   # #  #    # # #        #       #  # # #   #                      #   ",
    "                   # #  ####  #  ## #  #          #     #     #     #     ##          ##  #    ",
    "        #          # #    #      ##  ## #          #   #                  #           ##  #    ",
    "                                                                         #                     ",
    /* 0123456789:;<=>? */
    " ###    #    ###  #####    #  #####   ##  #####  ###   ###                 #         #     ### ",
    "#   #  ##   #   #    #    ##  #      #        # #   # #   #               #           #   #   #",
    "#  ##   #       #   #    # #  ####  #        #  #   # #   #   ##    ##   #    #####    #      #",
    "# # #   #      #     #  #  #      # ####    #    ###   ####   ##    ##  #               #    # ",
    "##  #   #     #       # #####     # #   #  #    #   #     #              #    #####    #    #  ",
    "#   #   #    #    #   #    #  #   # #   #  #    #   #    #    ##    ##    #           #        ",
    " ###   ###  #####  ###     #   ###   ###   #     ###   ##     ##    #      #         #      #  ",
    "                                                                   #                           ",
    /* @ABCDEFGHIJKLMNO */
    " ###    #   ####   ###  ###   ##### #####  ###  #   #  ###    ### #   # #     #   # #   #  ### ",
    "#   #  # #  #   # #   # #  #  #     #     #   # #   #   #      #  #  #  #     ## ## #   # #   #",
    "# ### #   # #   # #     #   # #     #     #     #   #   #      #  # #   #     # # # ##  # #   #",
    "# # # #   # ####  #     #   # ####  ####  # ### #####   #      #  ##    #     # # # # # # #   #",
    "# ### ##### #   # #     #   # #     #     #   # #   #   #      #  # #   #     #   # #  ## #   #",
    "#     #   # #   # #   # #  #  #     #     #   # #   #   #   #  #  #  #  #     #   # #   # #   #",
    " ###  #   # ####   ###  ###   ##### #      #### #   #  ###   ##   #   # ##### #   # #   #  ### ",
    "                                                                                               ",
    /* PQRSTUVWXYZ[\]^_ */
    "####   ###  ####   #### ##### #   # #   # #   # #   # #   # #####  ###  #      ###    #        ",
    "#   # #   # #   # #       #   #   # #   # #   # #   # #   #     #  #    #        #   # #       ",
    "#   # #   # #   # #       #   #   # #   # #   #  # #  #   #    #   #     #       #  #   #      ",
    "####  #   # ####   ###    #   #   # #   # # # #   #    # #    #    #      #      #             ",
    "#     # # # # #       #   #   #   # #   # # # #  # #    #    #     #       #     #             ",
    "#     #  #  #  #      #   #   #   #  # #  # # # #   #   #   #      #        #    #             ",
    "#      ## # #   # ####    #    ###    #    # #  #   #   #   #####  ###      #  ###             ",
    "                                                                                          #####",
    /* `abcdefghijklmno */
    " #          #               #         ##        #       #      #  #      ##                    ",
    "  #         #               #        #  #       #                 #       #                    ",
    "   #   ###  # ##   ###   ## #  ###   #     #### # ##   ##     ##  #  #    #   ## #  # ##   ### ",
    "          # ##  # #     #  ## #   # ###   #   # ##  #   #      #  # #     #   # # # ##  # #   #",
    "       #### #   # #     #   # #####  #    #   # #   #   #      #  ##      #   # # # #   # #   #",
    "      #   # #   # #   # #   # #      #     #### #   #   #      #  # #     #   #   # #   # #   #",
    "       #### ####   ###   ####  ###   #        # #   #  ###  #  #  #  #   ###  #   # #   #  ### ",
    "                                           ###               ##                                ",
    /* pqrstuvwxyz{|}~ */
    "                         #                                           #    #    #               ",
    "                         #                                          #     #     #              ",
    "####   #### # ##   #### ###   #   # #   # #   # #   # #   # #####   #     #     #              ",
    "#   # #   # ##  # #      #    #   # #   # #   #  # #  #   #    #   #      #      #   #  #      ",
    "#   # #   # #      ###   #    #   # #   # # # #   #   #   #   #     #     #     #   # # #      ",
    "####   #### #         #  #  # #  ##  # #  # # #  # #   ####  #      #     #     #   #  #       ",
    "#         # #     ####    ##   ## #   #    # #  #   #     # #####    #    #    #               ",
    "#         #                                            ###                                     ",
};
/* clang-format on */

/* Letters in a UTF-8 text. */
static int64_t gi_text_length(const char *text)
{
    int64_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xC0) != 0x80; /* not a further byte of the same letter */
    return n;
}

static int64_t gi_text_width(const char *text, int64_t size) { return gi_text_length(text) * GI_FONT_STEP * size; }

/* One line of text with its upper left corner at (x, y); a dot of the font is size x size pixels. Letters beyond ASCII: "?". */
static void gi_draw_text(gi_canvas *canvas, int64_t x, int64_t y, int64_t size, const char *text)
{
    for (; *text; text++) {
        unsigned char letter = (unsigned char)*text;
        if ((letter & 0xC0) == 0x80) continue;
        if (letter < ' ') letter = ' ';
        if (letter > '~') letter = '?';
        const char *const *band = gi_font + (letter - ' ') / 16 * GI_FONT_ROWS;
        int                left = letter % 16 * GI_FONT_STEP;
        for (int row = 0; row < GI_FONT_ROWS; row++)
            for (int column = 0; column < GI_FONT_STEP - 1; column++)
                if (band[row][left + column] == '#') gi_fill_box(canvas, x + column * size, y + row * size, size, size, GI_INK);
        x += GI_FONT_STEP * size;
    }
}

/* ---- the numbers of a colour bar --------------------------------------------------------------------------------- */

enum { GI_MOST_TICKS = 200 };

typedef struct gi_tick {
    double value;
    char   text[24]; /* "": a short tick without a number */
} gi_tick;

typedef struct gi_ticks {
    int     n;
    gi_tick tick[GI_MOST_TICKS];
} gi_ticks;

/* Adds a tick with a number as printf's %f, %e or %g shows it; NULL: a short tick. Exponents lose their padding: 1e-5. */
static void gi_add_tick(gi_ticks *ticks, double value, int digits, const char *kind)
{
    if (ticks->n == GI_MOST_TICKS) return;
    gi_tick *t = &ticks->tick[ticks->n++];
    t->value   = value;
    t->text[0] = 0;
    if (!kind) return;
    if (*kind == 'f' || value == 0) snprintf(t->text, sizeof t->text, "%.*f", value == 0 && *kind != 'f' ? 0 : digits, value);
    else if (*kind == 'e') snprintf(t->text, sizeof t->text, "%.*e", digits, value);
    else snprintf(t->text, sizeof t->text, "%.*g", digits, value);
    gi_point_text(t->text);
    char *e = strchr(t->text, 'e');
    if (!e) return;
    char *from = e + 1, *to = e + 1;
    if (*from == '-') *to++ = *from;
    if (*from == '-' || *from == '+') from++;
    while (*from == '0' && from[1]) from++;
    memmove(to, from, strlen(from) + 1);
}

/* About `most` round numbers between low and high: steps of 1, 2 or 5 times a power of ten. */
static void gi_linear_ticks(gi_ticks *ticks, double low, double high, int most)
{
    const double slack = 1e-9; /* so that rounding does not lose the ends */
    double       raw = (high - low) / most, power = gi_op_power_f64(10, floor(gi_op_log10_f64(raw))), m = raw / power;
    double       step  = power * (m <= 1 + slack ? 1 : m <= 2 + slack ? 2 : m <= 5 + slack ? 5 : 10);
    double       first = ceil(low / step - slack), last = floor(high / step + slack), largest = fmax(fabs(low), fabs(high));
    bool         sound = step > 0 && step < INFINITY && last - first < (double)GI_MOST_TICKS && fabs(first) < 1e15;
    if (!sound) { /* one number only, or a range too fine or too wide for arithmetic: the ends */
        gi_add_tick(ticks, low, 4, "g");
        if (high > low) gi_add_tick(ticks, high, 4, "g");
        return;
    }
    int  finest = (int)floor(gi_op_log10_f64(step) + slack), coarsest = (int)floor(gi_op_log10_f64(largest) + slack);
    bool plain = largest < 1e5 && finest >= -4;
    for (double i = first; i <= last; i++)
        gi_add_tick(ticks, i * step + 0.0, plain ? (finest < 0 ? -finest : 0) : coarsest - finest, plain ? "f" : "e");
}

/* Powers of ten, short ticks between them; for a short range also 2 and 5 times them, for a shorter one round numbers. */
static void gi_log_ticks(gi_ticks *ticks, double low, double high, int most)
{
    const double slack = 1e-9;
    int          first = (int)floor(gi_op_log10_f64(low) + slack), last = (int)floor(gi_op_log10_f64(high) + slack);
    int          step    = 1 + (last - first) / most;
    double       decades = gi_op_log10_f64(high) - gi_op_log10_f64(low);
    if (decades < 0.7) {
        gi_linear_ticks(ticks, low, high, most);
        return;
    }
    for (int k = first; k <= last; k++)
        for (int m = 1; m <= 9; m++) {
            double value = m * gi_op_power_f64(10, k);
            if (value < low * (1 - slack) || value > high * (1 + slack)) continue;
            bool number = m == 1 ? (k - first) % step == 0 : decades < 2.5 && most >= 3 * decades && (m == 2 || m == 5);
            if (!number && (m == 1 || step > 1)) continue;
            gi_add_tick(ticks, value, k >= -3 && k <= 4 ? 6 : 0, !number ? NULL : k >= -3 && k <= 4 ? "g" : "e");
        }
}

/* ---- ga_render and ga_imshow ------------------------------------------------------------------------------------- */

typedef struct gi_plot {
    const ga_array *a; /* 2-D, C-contiguous */
    unsigned char   colours[256][3];
    bool            log;
    double          vmin, vmax;  /* the numbers of the first and the last colour */
    double          start, span; /* the same for x or, if log, for log10(x): start and start + span */
    int64_t         scale;
    gi_canvas       canvas;
    int64_t         left, top; /* where the picture begins on the canvas */
} gi_plot;

/* Where a number lies between vmin, 0, and vmax, 1. */
static double gi_plot_position(const gi_plot *p, double x)
{
    if (p->log) x = x > 0 ? gi_op_log10_f64(x) : -INFINITY;
    return (x - p->start) / p->span;
}

static const unsigned char *gi_plot_colour(const gi_plot *p, double position)
{
    return p->colours[position >= 1 ? 255 : position > 0 ? (int)(position * 256) : 0];
}

/* Units are rows of the array. */
static void gi_plot_task(int64_t begin, int64_t end, void *job)
{
    static const unsigned char white[3] = { 255, 255, 255 };
    const gi_plot             *p        = (const gi_plot *)job;
    const int64_t              columns = p->a->shape[1], scale = p->scale, line_bytes = 3 * p->canvas.columns;
    double                     values[GI_PICTURE_BLOCK];
    for (int64_t row = begin; row < end; row++) {
        unsigned char *line = p->canvas.pixels + (p->top + row * scale) * line_bytes + 3 * p->left, *to = line;
        for (int64_t c = 0; c < columns; c += GI_PICTURE_BLOCK) {
            int64_t n = columns - c < GI_PICTURE_BLOCK ? columns - c : GI_PICTURE_BLOCK;
            gi_picture_values(p->a, row * columns + c, n, values);
            for (int64_t k = 0; k < n; k++) {
                bool                 nan    = values[k] != values[k];
                const unsigned char *colour = nan ? white : gi_plot_colour(p, gi_plot_position(p, values[k]));
                for (int64_t s = 0; s < scale; s++, to += 3) {
                    to[0] = colour[0];
                    to[1] = colour[1];
                    to[2] = colour[2];
                }
            }
        }
        for (int64_t s = 1; s < scale; s++) memcpy(line + s * line_bytes, line, (size_t)(to - line));
    }
}

/* Settles vmin and vmax from the options and the data. */
static bool gi_plot_range(gi_plot *p, const ga_imshow_options *o)
{
    const char *site = o->site;
    double      low, high;
    const bool  min_given = o->vmin != GA_REAL_DEFAULT, max_given = o->vmax != GA_REAL_DEFAULT;
    p->log  = o->log;
    p->vmin = o->vmin;
    p->vmax = o->vmax;
    if (!min_given || !max_given) {
        gi_value_range(p->a, p->log ? 0 : -INFINITY, &low, &high);
        if (low > high) low = p->log ? 1 : 0, high = p->log ? 10 : 1; /* nothing to draw a colour for */
        if (!min_given) p->vmin = low;
        if (!max_given) p->vmax = high;
    }
    if (!isfinite(p->vmin) || !isfinite(p->vmax) || (p->log && !(p->vmin > 0 && p->vmax > 0)))
        return gi_fail(site, GA_BAD_ARGUMENT, "colours from .vmin = %g to .vmax = %g: both must be finite%s", p->vmin, p->vmax,
                       p->log ? " and, with .log = true, positive" : "") != NULL;
    p->start = p->log ? gi_op_log10_f64(p->vmin) : p->vmin;
    p->span  = (p->log ? gi_op_log10_f64(p->vmax) : p->vmax) - p->start;
    if (p->span == 0) p->span = INFINITY; /* one number only: it gets the first colour */
    return true;
}

/* The bar with its frame at (x, y), ticks and numbers to its right. */
static void gi_draw_colorbar(gi_plot *p, int64_t x, int64_t y, int64_t width, int64_t height, int64_t size,
                             const gi_ticks *ticks)
{
    int64_t line = size > 1 ? size / 2 : 1;
    gi_fill_box(&p->canvas, x - line, y - line, width + 2 * line, height + 2 * line, GI_INK);
    for (int64_t row = 0; row < height; row++) {
        const unsigned char *c = gi_plot_colour(p, 1 - ((double)row + 0.5) / (double)height);
        gi_fill_box(&p->canvas, x, y + row, width, 1, (uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2]);
    }
    for (int i = 0; i < ticks->n; i++) {
        const gi_tick *t        = &ticks->tick[i];
        double         position = gi_plot_position(p, t->value);
        if (!(position >= -1e-6 && position <= 1 + 1e-6)) continue;
        int64_t at = y + (int64_t)floor((1 - position) * (double)(height - 1) + 0.5), length = t->text[0] ? 3 * size : 2 * size;
        gi_fill_box(&p->canvas, x + width + line, at - (line - 1) / 2, length, line, GI_INK);
        gi_draw_text(&p->canvas, x + width + line + 5 * size, at - GI_FONT_HEIGHT * size / 2, size, t->text);
    }
}

/*  Without a title and a colour bar the result is the picture alone, scale x scale pixels for each element. With one of them
    everything stands on white with a margin, the picture in a thin frame. NaN is white; row 0 of the array is on top. */
ga_array *(ga_render)(const ga_array *a, ga_imshow_options o)
{
    GI_SETTLE_ROUNDING;
    GI_SETTLE_FLOATS;
    const char *site = o.site, *title = o.title && *o.title ? o.title : NULL;
    gi_plot     p;
    gi_ticks    ticks;
    memset(&p, 0, sizeof p);
    ticks.n = 0;
    if (!gi_array_check(site, a, "a") || !gi_option_not_null(site, "ga_imshow_defaults", "cmap", o.cmap)) return NULL;
    if (a->ndim != 2)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "shape %s: only a 2-D array is drawn in colours of a map%s",
                                   gi_shape_of(a),
                                   a->ndim == 3 && a->shape[2] <= 4 ? "; for red, green, blue there is ga_imsave" : "");
    if (a->size == 0) return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "shape %s has no pixels", gi_shape_of(a));
    if (gi_is_complex(a->dtype))
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE,
                                   "%s has no order for colours: take ga_absolute, ga_real or ga_imag of it",
                                   ga_dtype_name(a->dtype));
    if (!gi_colours(o.cmap, p.colours))
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT,
                                   "there is no colour map '%s': use viridis, gray, gray_r, inferno or RdBu_r", o.cmap);
    const int64_t most = (int64_t)1 << 30;
    p.scale            = o.scale;
    if (p.scale < 1 || a->shape[0] > most / p.scale || a->shape[1] > most / p.scale)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT,
                                   ".scale = %d for shape %s: it must be 1 or more, and no side of the picture "
                                   "longer than 2**30 pixels",
                                   o.scale, gi_shape_of(a));
    ga_array *c = gi_copy_on_cpu(site, a);
    if (!c) return NULL;
    p.a = c;
    if (!gi_plot_range(&p, &o)) {
        ga_free(c);
        return NULL;
    }
    /* The layout: text grows with the picture; all distances are in dots of the font. */
    int64_t height = a->shape[0] * p.scale, width = a->shape[1] * p.scale, size = (height + width + 200) / 450;
    if (size < 1) size = 1;
    int64_t rows = height, columns = width, line = size > 1 ? size / 2 : 1, bar_width = 9 * size, bar_left = 0, bar_height = 0;
    if (title || o.colorbar) {
        int64_t margin = 10 * size;
        p.left         = margin;
        p.top          = margin + (title ? 13 * size : 0);
        columns        = p.left + width + margin;
        if (o.colorbar) {
            bar_height  = height > 64 * size ? height : 64 * size;
            bar_left    = p.left + width + 10 * size;
            int    room = (int)(bar_height / (16 * size)), longest = 0;
            double low = fmin(p.vmin, p.vmax), high = fmax(p.vmin, p.vmax);
            if (p.log) gi_log_ticks(&ticks, low, high, room < 9 ? room : 9);
            else gi_linear_ticks(&ticks, low, high, room < 9 ? room : 9);
            for (int i = 0; i < ticks.n; i++)
                if ((int)strlen(ticks.tick[i].text) > longest) longest = (int)strlen(ticks.tick[i].text);
            columns = bar_left + bar_width + (5 + GI_FONT_STEP * longest) * size + margin;
        }
        if (title && columns < gi_text_width(title, size) + 2 * margin) columns = gi_text_width(title, size) + 2 * margin;
        rows = p.top + (height > bar_height ? height : bar_height) + margin;
    }
    int64_t   shape[3] = { rows, columns, 3 };
    ga_array *picture  = gi_array_new(site, GA_U8, GA_CPU, 3, shape);
    if (picture) {
        p.canvas.pixels  = (unsigned char *)picture->data;
        p.canvas.rows    = rows;
        p.canvas.columns = columns;
        if (title || o.colorbar) {
            memset(picture->data, 255, (size_t)picture->size);
            gi_fill_box(&p.canvas, p.left - line, p.top - line, width + 2 * line, height + 2 * line, GI_INK);
        }
        if (title) {
            int64_t x = p.left + (width - gi_text_width(title, size)) / 2;
            gi_draw_text(&p.canvas, x > p.left ? x : p.left, p.top - 13 * size, size, title);
        }
        if (o.colorbar) gi_draw_colorbar(&p, bar_left, p.top, bar_width, bar_height, size, &ticks);
        gi_parallel(c->shape[0], 1 + GI_PICTURE_CHUNK / (width * p.scale), gi_plot_task, &p);
    }
    ga_free(c);
    return picture;
}

bool(ga_imshow)(const char *path, const ga_array *a, ga_imshow_options o)
{
    if (!gi_array_check(o.site, a, "a")) return false;
    if (!gi_png_name_check(o.site, path)) return false;
    ga_array *picture = (ga_render)(a, o);
    if (!picture) return false;
    bool done = gi_write_png(o.site, path, picture->shape[0], picture->shape[1], 3, picture->data);
    ga_free(picture);
    return done;
}
