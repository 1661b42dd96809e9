import numpy as np

HEAD = "from scipy import spatial\nfrom scipy.spatial.transform import Rotation, Slerp"
R = np.random.default_rng(39)
ARRAYS = {
    "D": R.normal(size=(60, 3)),
    "P": R.normal(size=(7, 3)),
    "p": R.normal(size=3),
    "v": np.array([0.3, -1.2, 0.7]),
    "V": R.normal(size=(4, 3)),
    "e": np.array([0.4, -0.9, 2.1]),
    "E": R.uniform(-1.5, 1.5, size=(4, 3)),
    "q": np.array([0.1, -0.4, 0.3, 0.8]),
    "Q": R.normal(size=(4, 4)),
    "M": np.array([[0.0, -1.0, 0.02], [1.0, 0.01, 0.0], [0.0, 0.03, 1.1]]),
    "t": np.array([0.0, 1.0, 2.5, 4.0]),
    "s": np.array([0.3, 2.0, 3.9]),
}
RTOL = 1e-10
CALLS = """
spatial.KDTree(D).query(P)
spatial.KDTree(D).query(p)
spatial.cKDTree(D).query(P, k=4)
(spatial.KDTree(D).query(P, k=3, p=1), spatial.KDTree(D).query(P, p=np.inf), spatial.KDTree(D[:5]).query(P, k=7))
spatial.KDTree(D).query(P, k=3, distance_upper_bound=0.8)
sorted(spatial.KDTree(D).query_ball_point(p, 1.2))
spatial.KDTree(D).query_ball_point(P, 1.0, return_length=True)
spatial.KDTree(D).query_ball_point(p, 1.0, return_length=True)
spatial.procrustes(D[:7], P)
(Rotation.from_euler("xyz", e).as_quat(), Rotation.from_euler("ZYX", e * 20.0, degrees=True).as_quat())
(Rotation.from_euler("z", 0.4).as_matrix(), Rotation.from_euler("y", E[:, :1]).as_matrix())
Rotation.from_euler("zx", E[:, :2]).as_quat()
(Rotation.from_quat(q).as_rotvec(), Rotation.from_quat(Q).as_rotvec(degrees=True), Rotation.from_quat(Q).as_mrp())
(Rotation.from_rotvec(v).as_quat(), Rotation.from_rotvec(V).as_matrix(), Rotation.from_rotvec(1e-5 * v).as_rotvec())
(Rotation.from_quat(Q).as_euler("xyz"), Rotation.from_quat(q).as_euler("ZXZ", degrees=True))
Rotation.from_quat(Q).as_euler("YXZ")
(Rotation.from_quat([0.0, 1.0, 0.0, 1.0]).as_euler("zyx"), Rotation.identity().as_euler("zxz"))
(Rotation.from_matrix(M).as_matrix(), Rotation.from_matrix(np.eye(3)).as_quat())
Rotation.from_matrix(Rotation.from_quat(Q).as_matrix()).as_quat(canonical=True)
(Rotation.from_quat(q).apply(v), Rotation.from_quat(q).apply(V))
(Rotation.from_quat(Q).apply(v), Rotation.from_quat(Q).apply(V))
(Rotation.from_quat(Q).apply(V, inverse=True), Rotation.from_quat(Q).magnitude(), Rotation.from_quat(q).magnitude())
((Rotation.from_quat(q) * Rotation.from_quat(Q)).as_quat(), Rotation.from_quat(Q).inv().as_quat(scalar_first=True))
((Rotation.from_quat(q) ** 0.3).as_rotvec(), Rotation.from_quat(Q)[1].as_quat(), Rotation.from_mrp(0.3 * v).as_quat())
(Rotation.identity(2).as_quat(), Rotation.from_quat(q, scalar_first=True).as_matrix())
(Rotation.from_quat(Q).mean().as_quat(canonical=True), Rotation.from_quat(q).single, len(Rotation.from_quat(Q)))
(Slerp(t, Rotation.from_quat(Q))(s).as_quat(), Slerp(t, Rotation.from_rotvec(V))(1.2).as_rotvec())
"""
SMOOTH = """
spatial.KDTree(D).query(P, k=2)[0]
Rotation.from_euler("xyz", e).as_matrix()
Rotation.from_euler("ZYZ", E).apply(v)
Rotation.from_rotvec(v).as_quat()
Rotation.from_rotvec(0.0001 * V).as_matrix()
Rotation.from_quat(Q).as_rotvec()
Rotation.from_quat(Q).as_euler("xyz")
Rotation.from_matrix(M).as_rotvec()
Slerp(t, Rotation.from_quat(Q))(s).as_matrix()
spatial.procrustes(D[:7], P)[2]
"""
