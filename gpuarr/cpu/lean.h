#if defined(__GNUC__) && !defined(__clang__)
/* -O2 without the passes that take time and give the loops behind it no speed, up to pop_options. (-O1 with the vectoriser takes as long, and
   makes remainder half as fast, tanh, arcsin and arctan two thirds.) */
#pragma GCC push_options
#pragma GCC optimize("O2", "vect-cost-model=dynamic", "no-tree-slp-vectorize", "no-tree-vrp", "no-thread-jumps", "no-gcse",    \
                     "no-schedule-insns2", "no-tree-pta", "no-tree-pre", "no-code-hoisting", "no-inline-functions",            \
                     "no-inline-small-functions", "no-partial-inlining", "no-crossjumping", "no-cse-follow-jumps",             \
                     "no-rerun-cse-after-loop", "no-tree-tail-merge", "no-store-merging", "no-tree-switch-conversion",         \
                     "no-tree-loop-distribute-patterns", "no-hoist-adjacent-loads", "no-isolate-erroneous-paths-dereference",  \
                     "no-optimize-sibling-calls", "no-optimize-strlen", "no-peephole2", "no-lra-remat", "no-trapping-math",    \
                     "no-math-errno", "fp-contract=off")
#ifdef GPUARR_STATIC /* some loops take a little longer without these */
#pragma GCC optimize("no-tree-dominator-opts", "no-forward-propagate")
#endif
#endif
