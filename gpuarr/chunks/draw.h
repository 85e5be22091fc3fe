/* ---- pictures of an expression ------------------------------------------------------------------------------------------------------- */
/*  A vertex is a chunk of a node, or a whole node where there would be too many. Vertices lie in layers, the arrays in memory at the
    bottom; in its layer each lies below the middle of what needs it.                                                          */

typedef struct gi_vertex {
    const ga_array *memory; /* an array in memory, or */
    gi_lazy        *node;   /* or */
    const char     *name;   /* a task */
    int             name_length;
    int64_t         chunk;       /* -1: all of them */
    int             layer, rank; /* rank: -1: not known */
    double          x, wanted;
    int64_t         users;
} gi_vertex;

typedef struct gi_edge {
    int64_t from, to;
} gi_edge;

typedef struct gi_drawing {
    const char *site;
    gi_vertex  *vertex;
    gi_edge    *edge;
    int64_t     vertices, edges, vertex_room, edge_room, tasks;
    bool        whole; /* one vertex a node */
    ga_color_by by;
    bool        failed;
} gi_drawing;

/* Room for one more; false: there is none. */
static bool gi_drawing_grows(gi_drawing *g, void **list, int64_t n, int64_t *room, size_t size)
{
    if (n < *room) return true;
    int64_t more = *room ? 2 * *room : 64;
    void   *p    = gi_mem_alloc(g->site, (size_t)more * size);
    if (!p) {
        g->failed = true;
        return false;
    }
    if (n > 0) memcpy(p, *list, (size_t)n * size);
    if (*list) gi_mem_release(*list, (size_t)*room * size);
    *list = p;
    *room = more;
    return true;
}

static int64_t gi_chunks_of_node(const gi_lazy *n) { return gi_box_count(n->ndim, n->shape, n->chunk); }

static int64_t gi_add_vertex(gi_drawing *g, const ga_array *memory, gi_lazy *node, int64_t chunk)
{
    if (!gi_drawing_grows(g, (void **)&g->vertex, g->vertices, &g->vertex_room, sizeof *g->vertex)) return 0;
    gi_vertex v = { memory, node, NULL, 0, chunk, 0, ga_ranks() > 1 ? -1 : 0, 0, 0, 0 };
    if (node && node->ranks && chunk >= 0) v.rank = node->ranks[chunk];
    g->vertex[g->vertices] = v;
    return g->vertices++;
}

static void gi_add_edge(gi_drawing *g, int64_t from, int64_t to)
{
    if (g->edges > 0 && g->edge[g->edges - 1].from == from && g->edge[g->edges - 1].to == to) return;
    if (!gi_drawing_grows(g, (void **)&g->edge, g->edges, &g->edge_room, sizeof *g->edge)) return;
    gi_edge e           = { from, to };
    g->edge[g->edges++] = e;
    if (g->vertex[from].layer + 1 > g->vertex[to].layer) g->vertex[to].layer = g->vertex[from].layer + 1;
}

/* The vertices of a node, after those of its inputs; n->level remembers the first one. */
static int64_t gi_draw_node(gi_drawing *g, gi_lazy *n)
{
    if (n->mark == gi_computing.mark) return n->level;
    n->mark = gi_computing.mark;
    int64_t below[64], chunks = g->whole ? 1 : gi_chunks_of_node(n);
    int     inputs = n->inputs < 64 ? n->inputs : 64;
    for (int k = 0; k < inputs && !g->failed; k++)
        below[k] = gi_is_deferred(n->in[k]) ? gi_draw_node(g, n->in[k]->owner->node) : gi_add_vertex(g, n->in[k], NULL, -1);
    int64_t first = g->vertices;
    n->level      = (int)first;
    for (int64_t c = 0; c < chunks; c++) (void)gi_add_vertex(g, NULL, n, g->whole ? -1 : c);
    for (int64_t c = 0; c < chunks && !g->failed; c++)
        for (int k = 0; k < inputs && !g->failed; k++) {
            const ga_array *a = n->in[k];
            if (!gi_is_deferred(a) || g->whole) {
                gi_add_edge(g, below[k], first + c);
                continue;
            }
            gi_lazy  *in  = a->owner->node;
            gi_layout l   = gi_layout_of(a);
            gi_box    box = gi_box_number(n->ndim, n->shape, n->chunk, c), part;
            int       axis[GPUARR_MAX_DIMS];
            if ((n->kind->is & GI_SPREAD) ||
                n->kind == gi_kind_chunked()) { /* which elements of the input does this chunk need? */
                l.ndim = n->ndim;
                memcpy(l.shape, n->shape, sizeof l.shape);
                gi_shape_broadcast_strides(a, n->ndim, n->shape, l.strides);
                l = gi_layout_part(&l, &box);
            }
            if (n->kind == gi_kind_call()) {
                ((const gi_further *)n->plan)->needs(n, k, &box, &part);
                gi_box inside = part; /* what comes from the opposite edge is left out */
                for (int d = 0; d < a->ndim; d++) {
                    int64_t low = part.start[d] > 0 ? part.start[d] : 0, high = part.start[d] + part.count[d];
                    if (high > a->shape[d]) high = a->shape[d];
                    inside.start[d] = low;
                    inside.count[d] = high - low;
                }
                l = gi_layout_part(&l, &inside);
            }
            bool known = gi_shape_size(l.ndim, l.shape) > 0 && gi_box_of(in, &l, &part, axis);
            for (int64_t j = 0; j < gi_chunks_of_node(in); j++) {
                gi_box there = gi_box_number(in->ndim, in->shape, in->chunk, j);
                bool   needs = true;
                for (int d = 0; d < in->ndim && known; d++)
                    needs = needs && part.start[d] < there.start[d] + there.count[d] &&
                            part.start[d] + (part.count[d] - 1) * part.step[d] >= there.start[d];
                if (needs) gi_add_edge(g, below[k] + j, first + c);
            }
        }
    return first;
}

static int64_t gi_count_tasks(gi_lazy *n)
{
    if (n->mark == gi_computing.mark) return 0;
    n->mark     = gi_computing.mark;
    int64_t sum = gi_chunks_of_node(n);
    for (int k = 0; k < n->inputs; k++)
        if (gi_is_deferred(n->in[k])) sum += gi_count_tasks(n->in[k]->owner->node);
    return sum;
}

static void gi_vertex_label(const gi_vertex *v, char *text, size_t room)
{
    const char *name;
    if (v->memory) {
        snprintf(text, room, "array %s", gi_shape_of(v->memory));
        return;
    }
    if (v->name) {
        snprintf(text, room, "%.*s", v->name_length, v->name);
        return;
    }
    int length = gi_call_name(v->node->site, &name), used = snprintf(text, room, "%.*s", length, name);
    if (v->chunk < 0) {
        snprintf(text + used, room - (size_t)used, " %lld chunk%s", (long long)gi_chunks_of_node(v->node),
                 gi_chunks_of_node(v->node) == 1 ? "" : "s");
        return;
    }
    gi_box box = gi_box_number(v->node->ndim, v->node->shape, v->node->chunk, v->chunk);
    for (int d = 0; d < v->node->ndim && used < (int)room - 24; d++)
        used += snprintf(text + used, room - (size_t)used, "%s%lld%s", d ? ", " : " (",
                         (long long)(box.start[d] / v->node->chunk[d]), d == v->node->ndim - 1 ? ")" : "");
}

/* From light to dark for 0 to 1. */
static void gi_ramp(double t, char *text, size_t room)
{
    int red = (int)(255 - 40 * t), green = (int)(245 - 170 * t), blue = (int)(220 - 190 * t);
    snprintf(text, room, "#%02x%02x%02x", red, green, blue);
}

static void gi_vertex_colour(const gi_drawing *g, int64_t i, double most_seconds, char *text, size_t room)
{
    const gi_vertex *v = &g->vertex[i];
    const char      *name;
    if (v->memory) snprintf(text, room, "#fdeecb");
    else if (g->by == GA_COLOR_ORDER) gi_ramp(g->vertices > 1 ? (double)i / (double)(g->vertices - 1) : 0, text, room);
    else if (v->name) snprintf(text, room, "%s", gi_colour_of(v->name, v->name_length));
    else if (g->by == GA_COLOR_RANK) snprintf(text, room, "%s", v->rank < 0 ? "#ffffff" : gi_light_colours[v->rank % 10]);
    else if (g->by == GA_COLOR_TIME)
        gi_ramp(most_seconds > 0 ? (double)v->node->nanoseconds * 1e-9 / most_seconds : 0, text, room);
    else {
        int length = gi_call_name(v->node->site, &name);
        snprintf(text, room, "%s", gi_colour_of(name, length));
    }
}

static int gi_by_wanted(const void *x, const void *y)
{
    const gi_vertex *a = *(const gi_vertex *const *)x, *b = *(const gi_vertex *const *)y;
    double           p = a->users ? a->wanted / (double)a->users : 0, q = b->users ? b->wanted / (double)b->users : 0;
    return p < q ? -1 : p > q ? 1 : a < b ? -1 : a > b;
}

static void gi_write_svg(gi_drawing *g, FILE *f)
{
    const int beside = 150, above = 80, box_width = 136, box_height = 26;
    int       layers = 0;
    int64_t   widest = 1;
    double    most   = 0;
    for (int64_t i = 0; i < g->vertices; i++) {
        if (g->vertex[i].layer + 1 > layers) layers = g->vertex[i].layer + 1;
        if (g->vertex[i].node && (double)g->vertex[i].node->nanoseconds * 1e-9 > most)
            most = (double)g->vertex[i].node->nanoseconds * 1e-9;
    }
    size_t      bytes = (size_t)g->vertices * sizeof(gi_vertex *);
    gi_vertex **layer = (gi_vertex **)gi_mem_alloc(g->site, bytes);
    if (!layer) {
        g->failed = true;
        return;
    }
    for (int l = 0; l < layers; l++) {
        int64_t n = 0;
        for (int64_t i = 0; i < g->vertices; i++) n += g->vertex[i].layer == l;
        if (n > widest) widest = n;
    }
    double width = (double)(widest * beside + 20), height = (double)layers * above + 20;
    for (int l = layers - 1; l >= 0; l--) { /* what is needed lies below the middle of what needs it */
        int64_t n = 0;
        for (int64_t i = 0; i < g->vertices; i++)
            if (g->vertex[i].layer == l) layer[n++] = &g->vertex[i];
        qsort(layer, (size_t)n, sizeof *layer, gi_by_wanted);
        for (int64_t i = 0; i < n; i++) layer[i]->x = ((double)i + 0.5) * width / (double)n;
        for (int64_t e = 0; e < g->edges; e++) {
            if (g->vertex[g->edge[e].to].layer != l) continue;
            g->vertex[g->edge[e].from].wanted += g->vertex[g->edge[e].to].x;
            g->vertex[g->edge[e].from].users++;
        }
    }
    gi_mem_release(layer, bytes);
    fprintf(f,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' font-family='sans-serif' "
            "font-size='11'>\n<rect width='100%%' height='100%%' fill='white'/>\n",
            width, height);
    for (int64_t e = 0; e < g->edges; e++) {
        const gi_vertex *a = &g->vertex[g->edge[e].from], *b = &g->vertex[g->edge[e].to];
        fprintf(f, "<line x1='%s' y1='%s' x2='%s' y2='%s' stroke='#999'/>\n", gi_with_decimals(a->x, 1),
                gi_with_decimals(height - 30 - a->layer * above - box_height / 2.0, 1), gi_with_decimals(b->x, 1),
                gi_with_decimals(height - 30 - b->layer * above + box_height / 2.0, 1));
    }
    for (int64_t i = 0; i < g->vertices; i++) {
        const gi_vertex *v = &g->vertex[i];
        char             label[160], colour[16];
        double           y = height - 30 - v->layer * above;
        gi_vertex_label(v, label, sizeof label);
        gi_vertex_colour(g, i, most, colour, sizeof colour);
        fprintf(f, "<g><title>");
        if (v->node) gi_write_escaped(f, v->node->site ? v->node->site : "", 300);
        else gi_write_escaped(f, label, 160);
        fprintf(f,
                "</title><rect x='%s' y='%s' width='%d' height='%d' rx='%d' fill='%s' stroke='#345'/><text x='%s' "
                "y='%s' text-anchor='middle'>",
                gi_with_decimals(v->x - box_width / 2.0, 1), gi_with_decimals(y - box_height / 2.0, 1), box_width, box_height,
                v->memory ? 0 : 12, colour, gi_with_decimals(v->x, 1), gi_with_decimals(y + 4, 1));
        gi_write_escaped(f, label, 22);
        fputs("</text></g>\n", f);
    }
    fputs("</svg>\n", f);
}

static void gi_write_dot(const gi_drawing *g, FILE *f)
{
    fputs("digraph gpuarr {\n  rankdir=BT; node [fontname=Helvetica, fontsize=10, style=filled];\n", f);
    for (int64_t i = 0; i < g->vertices; i++) {
        char label[160], colour[16];
        gi_vertex_label(&g->vertex[i], label, sizeof label);
        gi_vertex_colour(g, i, 0, colour, sizeof colour);
        fprintf(f, "  n%lld [shape=%s, fillcolor=\"%s\", label=\"%s\"];\n", (long long)i,
                g->vertex[i].memory ? "box" : "ellipse", colour, label);
    }
    for (int64_t e = 0; e < g->edges; e++)
        fprintf(f, "  n%lld -> n%lld;\n", (long long)g->edge[e].from, (long long)g->edge[e].to);
    fputs("}\n", f);
}

/* Writes the picture and lets go of the drawing. */
static bool gi_write_drawing(gi_drawing *g, const char *path)
{
    size_t length = path ? strlen(path) : 0;
    bool svg = length > 4 && strcmp(path + length - 4, ".svg") == 0, dot = length > 4 && strcmp(path + length - 4, ".dot") == 0;
    gi_new_file to;
    bool        done = false;
    if (!g->failed && !svg && !dot) {
        gi_fail(g->site, GA_BAD_ARGUMENT, "the path '%s' must end in .svg or .dot", path ? path : "(NULL)");
    } else if (!g->failed) {
        bool begun = gi_file_begin(&to, path);
        if (begun && svg) gi_write_svg(g, to.file);
        else if (begun) gi_write_dot(g, to.file);
        done = begun && gi_file_end(&to, !g->failed);
        if (!done && !g->failed) gi_fail(g->site, gi_file_status(to.error), "cannot write '%s': %s", path, to.why);
    }
    if (g->vertex) gi_mem_release(g->vertex, (size_t)g->vertex_room * sizeof *g->vertex);
    if (g->edge) gi_mem_release(g->edge, (size_t)g->edge_room * sizeof *g->edge);
    return done;
}

bool(ga_visualize)(const ga_array *a, const char *path, ga_visualize_options o)
{
    if (!gi_array_check_half_any(o.site, a, "a")) return false;
    if (!gi_is_deferred(a))
        return gi_fail(o.site, GA_BAD_ARGUMENT, "the array is in memory: there is no expression to be drawn") != NULL;
    gi_drawing g;
    memset(&g, 0, sizeof g);
    g.site = o.site;
    g.by   = o.color;
    if (!gi_computing_take(o.site)) return false;
    gi_computing.mark++;
    g.whole = gi_count_tasks(a->owner->node) > o.tasks;
    gi_computing.mark++;
    (void)gi_draw_node(&g, a->owner->node);
    for (int64_t i = g.vertices - 1; i >= 0; i--) /* who needs something comes after it */
        for (int64_t e = 0; e < g.edges; e++)
            if (g.edge[e].to == i && g.vertex[g.edge[e].from].rank < 0) g.vertex[g.edge[e].from].rank = g.vertex[i].rank;
    bool ok = gi_write_drawing(&g, path);
    gi_computing_give();
    return ok;
}
