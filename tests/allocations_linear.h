/* A part of allocations.c: linear algebra. */
static void test_linear(void)
{
    double    numbers[9] = { 4, 1, 2, 1, 5, 3, 2, 3, 6 };
    ga_array *a = ga_from(numbers, (3, 3)), *c = ga_astype(a, GA_C64), *b = ga_ones((2, 3, 1)), *v = ga_ones((3)),
             *tall = ga_reshape(a, (9, 1)), *large = ga_random((140, 140), .seed = 1), *wide = ga_ones((2, 9));
    ga_array *near = ga_eye(140, 140, 0), *least = ga_full((2, 2), 1e-310), *turned = ga_transpose(large),
             *positive = ga_matmul(large, turned);
    RUN(ga_solve(a, b));
    RUN(ga_solve(c, v));
    RUN(ga_solve(large, large));
    RUN(ga_inv(a));
    RUN(ga_det(c));
    RUN_BOOL(ga_slogdet(c, &extra[0], &extra[1]));
    RUN(ga_cholesky(a));
    RUN(ga_cholesky(near, .upper = true));
    RUN(ga_solve_triangular(c, b));
    RUN_BOOL(ga_qr(c, &extra[0], &extra[1]));
    RUN_BOOL(ga_qr(large, &extra[0], NULL));
    RUN_BOOL(ga_eigh(c, &extra[0], &extra[1]));
    RUN(ga_eigvalsh(positive));
    RUN_BOOL(ga_eig(c, &extra[0], &extra[1]));
    RUN(ga_random_multivariate_normal(v, a, (2)));
    RUN_BOOL(ga_svd(wide, &extra[0], &extra[1], &extra[2]));
    RUN_BOOL(ga_svd(c, &extra[0], NULL, &extra[1]));
    RUN(ga_svdvals(near));
    ga_array *line = ga_from(numbers, (5));
    RUN(ga_roots(line));
    RUN(ga_polyfit(line, line, 1, .w = line, .cov = &extra[0]));
    ga_free(line);
    RUN(ga_matrix_norm(a, .ord = 1, .keepdims = true));
    RUN(ga_matrix_norm(a, .ord = GA_NUC));
    RUN(ga_norm(a, GA_NUC));
    RUN(ga_vector_norm(c));
    RUN(ga_cond(a));
    RUN(ga_cond(c, 1));
    RUN(ga_matrix_rank(a));
    RUN(ga_matrix_rank(v));
    RUN(ga_pinv(c));
    RUN(ga_lstsq(tall, tall, .residuals = &extra[0], .s = &extra[1]));
    RUN(ga_lstsq(least, least, .s = &extra[0]));
    RUN(ga_matrix_power(a, 5));
    RUN(ga_matrix_power(a, -2));
    RUN(ga_multi_dot((v, a, a, v)));
    RUN(ga_kron(a, v));
    RUN(ga_cross(a, v));
    RUN(ga_vecdot(c, a));
    RUN(ga_tensorsolve(a, v, .axes = ga_axes(0)));
    RUN(ga_tensorinv(a, .ind = 1));
    RUN(ga_expm(c));
    RUN(ga_solve_banded(1, 1, a, v));
    ga_array *all[] = { a, c, b, v, tall, large, wide, near, turned, positive, least };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) ga_free(all[k]);
}
