import numpy as np

HEAD = "import scipy.linalg\nfrom scipy import linalg"
R = np.random.default_rng(3)
A = R.normal(size=(4, 4)) + 3.0 * np.eye(4)
ARRAYS = {
    "A": A,
    "B": R.normal(size=(4, 3)),
    "C": A + 1j * R.normal(size=(4, 4)),
    "P": A @ A.T,
    "H": A @ A.T + 1j * (A - A.T),
    "Q": R.normal(size=(4, 4)),
    "S": 0.2 * R.normal(size=(4, 4)),
    "T": R.normal(size=(6, 3)),
    "W": R.normal(size=(3, 6)),
    "v": R.normal(size=4),
    "u": R.normal(size=3),
    "L": np.array([[0.0, 1.0, 0.5, 0.25], [4.0, 5.0, 6.0, 7.0], [1.0, 2.0, -1.0, 0.5]]),
    "K": np.array([[0.0, 1.0, 0.5, 0.25], [4.0, 5.0, 6.0, 7.0]]),
    "F": A.astype(np.float32),
    "V": np.stack((A, A.T, A @ A)),
    "M": np.stack((A @ A.T, A.T @ A)),
    "N": np.array([[2, 1, 0, 0], [1, 3, 1, 0], [0, 1, 4, 1], [0, 0, 1, 5]]),
}
RTOL = 1e-10
CALLS = """
scipy.linalg.solve(A, v)
linalg.solve(A, B)
linalg.solve(C, v)
linalg.solve(P, B, assume_a="pos")
linalg.solve(P, v, assume_a="sym", lower=True)
linalg.solve(H, v, assume_a="her")
linalg.solve(A, v, transposed=True)
linalg.solve(A, v, assume_a="upper triangular")
linalg.solve(F, F[0])
linalg.solve(N, v)
linalg.inv(A)
linalg.inv(C)
linalg.det(A)
linalg.det(N)
linalg.det(C)
linalg.cholesky(P)
linalg.cholesky(P, lower=True)
linalg.cholesky(H)
linalg.cho_solve(linalg.cho_factor(P), v)
linalg.cho_solve(linalg.cho_factor(P, lower=True), B)
linalg.cho_solve(linalg.cho_factor(H), v)
np.triu(linalg.cho_factor(P)[0])
linalg.lu_factor(A)
linalg.lu_solve(linalg.lu_factor(Q), v)
linalg.lu_solve(linalg.lu_factor(Q), B, trans=1)
linalg.lu_solve(linalg.lu_factor(C), v, trans=2)
linalg.lu(Q)
linalg.lu(T)
linalg.lu(W)
linalg.lu(T, permute_l=True)
linalg.lu(Q, p_indices=True)
linalg.eigh(P)[0]
np.abs(linalg.eigh(H)[1])
linalg.eigh(P, eigvals_only=True)
linalg.eigh(P, N, eigvals_only=True)
np.abs(linalg.eigh(P, N)[1])
linalg.eigvalsh(P, subset_by_index=[1, 2])
np.sort(linalg.eigvals(A).real)
np.sort(linalg.eig(A, P)[0].real)
linalg.svdvals(T)
linalg.svd(T, full_matrices=False)[1]
linalg.svd(T, compute_uv=False)
linalg.qr(T, mode="economic")
linalg.norm(A)
linalg.norm(v, 1)
linalg.norm(A, axis=0)
linalg.lstsq(T, T @ np.ones((3, 2)) + 0.1 * T[:, :2] ** 2)[0]
linalg.lstsq(T, T[:, 0] ** 2)[0]
linalg.lstsq(T, T[:, :2] ** 2)[1]
linalg.pinv(T)
linalg.pinv(C)
linalg.pinv(T, return_rank=True)
linalg.solve_triangular(A, v)
linalg.solve_triangular(A, B, lower=True)
linalg.solve_triangular(A, v, trans="T")
linalg.solve_triangular(C, v, trans=2, lower=True)
linalg.solve_triangular(A, v, unit_diagonal=True)
linalg.polar(A)
linalg.polar(T, side="left")
linalg.null_space(W).shape
np.abs(linalg.null_space(W[:2, :3]))
np.abs(linalg.orth(T))
linalg.issymmetric(P)
linalg.expm(A)
linalg.expm(0.001 * A)
linalg.expm(0.2 * S)
linalg.expm(0.8 * S)
linalg.expm(S)
linalg.expm(20.0 * S)
linalg.expm(C)
linalg.expm(N)
linalg.expm(F)
linalg.expm(np.stack([A, S]))
linalg.expm_frechet(A, Q)
linalg.schur(A)[0].shape
np.abs(linalg.schur(C)[0])
np.abs(linalg.schur(S, output="complex")[0])
linalg.solve_sylvester(A, N, Q)
linalg.solve_sylvester(C, A[:3, :3] + 0j, B)
linalg.solve_continuous_lyapunov(A, Q)
linalg.solve_lyapunov(A, Q)
linalg.solve_discrete_lyapunov(S, P)
linalg.solve_discrete_lyapunov(0.1 * C, H)
linalg.solve_continuous_are(A, B, P, np.eye(3))
linalg.sqrtm(P)
linalg.sqrtm(C)
linalg.logm(P)
linalg.logm(C)
linalg.logm(linalg.expm(S))
linalg.cosm(A)
linalg.sinm(C)
linalg.tanm(S)
linalg.fractional_matrix_power(P, 0.3)
linalg.orthogonal_procrustes(A, Q)
linalg.toeplitz(v)
linalg.toeplitz(v, u)
linalg.toeplitz(C[0])
linalg.hankel(v)
linalg.hankel(v, u)
linalg.circulant(v)
linalg.circulant(N[0])
linalg.companion(v)
linalg.leslie(v, u)
linalg.block_diag(A, u, T)
linalg.block_diag(N, N)
linalg.hilbert(3)
linalg.dft(4)
linalg.dft(5, scale="sqrtn")
linalg.khatri_rao(B, T)
linalg.convolution_matrix(v, 6)
linalg.convolution_matrix(v, 3, "same")
linalg.convolution_matrix(v, 6, mode="valid")
linalg.solve_circulant(v, A[0])
linalg.solve_toeplitz(v, B)
linalg.solve_toeplitz((v, Q[0]), v)
linalg.solve_banded((1, 1), L, v)
linalg.solve_banded((1, 1), L, B)
linalg.solve_banded((0, 2), L, C[0])
linalg.solve_banded((2, 0), L[::-1], v)
linalg.solveh_banded(K, v)
linalg.solveh_banded(K[::-1, ::-1], B, lower=True)
(linalg.solve(V, B), linalg.solve(V[:, None], B[:, :2] + M[0, 0, 0]))
(linalg.solve(V, v), linalg.solve(A, V, assume_a="gen"))
(linalg.inv(V), linalg.det(V), linalg.pinv(V[:, :3]), linalg.svdvals(V), linalg.solve_triangular(V, v, lower=True))
(linalg.cholesky(M), linalg.cholesky(M, lower=True), linalg.eigvalsh(M), linalg.eigh(M, M[::-1], eigvals_only=True))
(linalg.eigh(M)[0], np.abs(linalg.eigh(M)[1]))
(linalg.pinvh(P - 2.0 * np.eye(4)), linalg.pinvh(np.outer(v, v), return_rank=True)[1])
"""
SMOOTH = """
linalg.solve(P, B, assume_a="pos")
linalg.inv(A)
linalg.cholesky(P)
linalg.cho_solve(linalg.cho_factor(P), v)
linalg.lu_solve(linalg.lu_factor(Q), v)
linalg.lu(Q)[1]
linalg.lu(T)[1]
linalg.lu(W)[2]
linalg.eigh(P, Q @ Q.T + np.eye(4), eigvals_only=True)
linalg.pinv(T)
linalg.solve_triangular(A, v)
linalg.polar(A)[0]
linalg.expm(A)
linalg.expm(0.3 * S)
linalg.expm_frechet(A, Q)[1]
linalg.solve_sylvester(A, P, Q)
linalg.solve_continuous_lyapunov(A, Q)
linalg.solve_discrete_lyapunov(S, P)
linalg.solve_continuous_are(A, B, P + P.T, np.eye(3))
linalg.sqrtm(P)
linalg.logm(P)
linalg.sinm(S)
linalg.fractional_matrix_power(P, 0.3)
linalg.toeplitz(v, u)
linalg.hankel(v)
linalg.circulant(v)
linalg.block_diag(A, u)
linalg.solve_circulant(v, A[0])
linalg.solve_banded((1, 1), L, v)
linalg.solve_banded((1, 1), L, B)
linalg.solveh_banded(K, v)
linalg.solve(V, B)
linalg.inv(V)
linalg.eigvalsh(M + np.swapaxes(M, 1, 2))
"""
