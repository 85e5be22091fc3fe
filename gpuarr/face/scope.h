GA_API gi_scope *gi_scope_begin(gi_scope *s);
GA_API void      gi_scope_end(gi_scope *s);
#ifdef __cplusplus
}
struct gi_scope_guard : gi_scope {
    gi_scope_guard() { gi_scope_begin(this); }
    ~gi_scope_guard() { gi_scope_end(this); }
    gi_scope_guard(const gi_scope_guard &) = delete;
};
#define GI_SCOPE(name) for (gi_scope_guard name; name.gi_open; name.gi_open = 0)
#else
#define GI_SCOPE(name)                                                                                                         \
    for (__attribute__((cleanup(gi_scope_end))) gi_scope name = *gi_scope_begin(&name); name.gi_open; name.gi_open = 0)
#endif
#define ga_scope GI_SCOPE(GI_JOIN(gi_scope_, __LINE__))
