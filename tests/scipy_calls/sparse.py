import numpy as np

HEAD = """import scipy.sparse as sp
from scipy.sparse.linalg import bicgstab, cg, factorized, gmres, splu, spsolve


def of(d, I, J):
    return sp.coo_array((d, (I, J)), shape=(4, 4)).tocsr()
"""
R = np.random.default_rng(17)
ARRAYS = {
    "d": np.concatenate((4.0 + R.uniform(size=4), 4.0 + R.uniform(size=4), R.normal(size=4))),
    "e": np.array([5.0, 4.5, 4.0, 6.0, -1.0, -1.0, 0.5, 0.5]),
    "I": np.array([0, 1, 2, 3, 3, 2, 1, 0, 0, 1, 3, 3]),
    "J": np.array([0, 1, 2, 3, 3, 2, 1, 0, 2, 3, 0, 1]),
    "P": np.array([0, 1, 2, 3, 0, 1, 2, 3]),
    "Q": np.array([0, 1, 2, 3, 1, 0, 3, 2]),
    "x": R.normal(size=4),
    "B": R.normal(size=(4, 3)),
    "D": np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]]),
    "S": np.array([0.0, 1.0, 3.0, 0.5], np.float32),
    "N": np.array([2, 1, 3, 4]),
    "p": np.array([0, 1, 3, 3], np.int32),
    "i": np.array([2, 0, 1], np.int32),
}
CALLS = """
of(d, I, J) @ x
of(d, I, J) @ B
x @ of(d, I, J)
B.T @ of(d, I, J).tocsc()
(of(d, I, J).T @ x, of(d, I, J).T.toarray(), of(d, I, J).dot(x))
(of(d, I, J) @ of(d, J, I)).toarray()
(of(d, I, J).tocsc() @ of(d, J, I).T).toarray()
(of(d, I, J) * 2.0 - of(d, J, I) / 4.0 + 3 * of(d, I, J).multiply(0.5)).toarray()
of(d, I, J) + B @ B.T
(of(d, I, J).sum(), of(d, I, J).sum(axis=0), of(d, I, J).sum(axis=-1), of(d, I, J).mean(), of(d, I, J).mean(axis=1))
(of(d, I, J).diagonal(), of(d, I, J).trace(), of(d, I, J).power(2).toarray(), (-of(d, I, J)).data)
(abs(of(d, I, J)).toarray(), abs(of(d, I, J).tocsc()).toarray())
(of(d, I, J).data, of(d, I, J).indices, of(d, I, J).indptr, of(d, I, J).nnz, of(d, I, J).shape)
(of(d, I, J).tocsc().data, of(d, I, J).tocsc().indices, of(d, I, J).tocoo().row, of(d, I, J).tocoo().col)
(of(N, P[:4], Q[:4]) @ N, of(S, P[:4], Q[:4]) @ S, of(S, P[:4], Q[:4]).astype(np.float64) @ x)
sp.coo_array((x, (P[:4], Q[4:]))).toarray()
sp.csr_array((x[:3], i, p), shape=(3, 3)).toarray()
sp.csc_array((x[:3], i, p)).toarray()
sp.csr_array(D).data
(sp.coo_array(D).row, sp.csc_array(D).indices, sp.csr_array(sp.coo_array(D)).toarray(), sp.csr_array((2, 3)).toarray())
(sp.csr_matrix(D) * x[:3], sp.coo_matrix(D).tocsr() * sp.csc_matrix(D.T) * x[:2], (2.0 * sp.csr_matrix(D)).toarray())
(sp.eye_array(3, 4, k=1).toarray(), sp.eye(3).toarray(), sp.identity(4) @ x, sp.issparse(of(d, I, J)))
(sp.diags_array(x).toarray(), sp.diags_array([x, x[:3]], offsets=[0, -1]).toarray())
sp.diags_array(x, offsets=1).toarray()
sp.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(4, 4)).toarray()
sp.kron(sp.eye_array(2), of(d, I, J)).toarray()
(of(d, I, J)[[3, 1]][:, [0, 2, 3]].toarray(), of(d, I, J)[1:, ::2].toarray(), of(d, I, J).tocsc()[[2, 2, 0]].toarray())
(sp.csr_array(D)[[1, 0]].toarray(), sp.csr_matrix(D)[:, np.array([0, 2])].tocsc().data)
(of(d, I, J)[2, 0], of(d, I, J).tocsc()[-1, 1], of(d, I, J)[I[:3], J[4:7]], of(d, I, J)[np.ix_(P[:2], Q[2:4])].data)
(of(d, I, J)[x > 0.0].shape, of(d, I, J)[:, x > 0.0].indptr, sp.csr_matrix(D)[1].toarray(), sp.csc_matrix(D)[:, 2].data)
(sp.vstack([of(d, I, J), of(e, P, Q)]).indptr, sp.hstack([of(d, I, J).tocsc(), of(e, P, Q).tocsc()]).indptr)
sp.vstack([of(d, I, J), of(d, I, J)[:, [0]]])
(sp.bmat([[of(d, I, J), None], [B.T, np.eye(3)]]).toarray(), sp.block_array([[None, sp.csr_matrix(D)], [D, None]]).col)
(sp.block_diag([of(d, I, J), 2.0, D]).toarray(), sp.block_diag([sp.csr_matrix(D), D], format="csr").indices)
(of(d, I, J).multiply(x).toarray(), (of(d, I, J) * B[:, :1]).toarray(), of(d, I, J).asformat("csc").indices)
spsolve(of(d, I, J), x)
spsolve(of(d, I, J).tocsc(), B)
spsolve(of(d, I, J).T, x[:, None])
spsolve(sp.csr_array(D[:, 1:] * 0.0), x[:2])
(splu(of(d, I, J).tocsc()).solve(x), splu(of(d, I, J).tocsc()).solve(x, "T"), factorized(of(d, I, J).tocsc())(x))
cg(of(e, P, Q) @ of(e, P, Q).T, x, rtol=1e-13)
gmres(of(d, I, J), x, rtol=1e-13)
gmres(of(d, I, J), x, np.ones(4), rtol=1e-13, restart=2)
bicgstab(of(d, I, J), x, rtol=1e-13)
cg(B.T @ B, x[:3], rtol=1e-13, M=np.diag(1.0 / np.sum(B * B, axis=0)))
bicgstab(of(d, I, J), x, rtol=1e-13, M=sp.diags_array(1.0 / of(d, I, J).diagonal()))
gmres(of(d, I, J), 0.0 * x)
"""
SMOOTH = """
of(d, I, J)[[3, 1, 1]][:, [0, 2, 3]] @ x[:3] + of(d, I, J)[2, 0] + of(d, I, J)[I[:3], J[4:7]]
sp.bmat([[of(d, I, J), B], [B.T, None]]).toarray() @ np.concatenate((x, x[:3]))
of(d, I, J).multiply(x) @ x
of(d, I, J) @ x
of(d, I, J) @ B
B.T @ of(d, I, J).T
(of(d, I, J) @ of(d, J, I) * 0.1 + of(d, J, I)).toarray() @ x
of(d, I, J).sum(axis=0) + of(d, I, J).diagonal()
spsolve(of(d, I, J), x)
spsolve(of(d, I, J).tocsc(), B)
splu(of(d, I, J).tocsc()).solve(x, "T")
cg(of(e, P, Q) @ of(e, P, Q).T, x, rtol=1e-13)[0]
gmres(of(d, I, J), x, rtol=1e-13)[0]
bicgstab(of(d, I, J), x, rtol=1e-13, M=sp.diags_array(1.0 / of(d, I, J).diagonal()))[0]
"""
