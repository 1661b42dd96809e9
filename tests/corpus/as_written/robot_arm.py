"""Serial manipulator with Denavit-Hartenberg joints: forward kinematics, geometric Jacobian,
manipulability and damped least-squares inverse kinematics.

Siciliano et al., "Robotics: Modelling, Planning and Control", ch. 2-3;
damped least squares after Wampler (1986).
"""
from dataclasses import dataclass
from math import pi

import numpy as np

TOL = 1e-8
MAX_STEP = 0.4


@dataclass(frozen=True)
class Joint:
    """Standard DH parameters of a revolute joint."""
    a: float
    alpha: float
    d: float
    offset: float = 0.0
    lower: float = -pi
    upper: float = pi

    def transform(self, q):
        theta = q + self.offset
        ct, st = np.cos(theta), np.sin(theta)
        ca, sa = np.cos(self.alpha), np.sin(self.alpha)
        return np.array([
            [ct, -st * ca, st * sa, self.a * ct],
            [st, ct * ca, -ct * sa, self.a * st],
            [0.0, sa, ca, self.d],
            [0.0, 0.0, 0.0, 1.0],
        ])

    def clamp(self, q):
        return np.clip(q, self.lower, self.upper)

    @property
    def reach(self):
        return np.hypot(self.a, self.d)


@dataclass(frozen=True)
class Arm:
    joints: tuple
    base: np.ndarray

    def __len__(self):
        return len(self.joints)

    @property
    def max_reach(self):
        return sum(j.reach for j in self.joints)

    def frames(self, q):
        """All frames from the base to the tool."""
        T = self.base
        out = [T]
        for joint, angle in zip(self.joints, q):
            T = T @ joint.transform(angle)
            out.append(T)
        return out

    def tool_position(self, q):
        return self.frames(q)[-1][:3, 3]

    def jacobian(self, q):
        """Linear part of the geometric Jacobian, 3 x n."""
        frames = self.frames(q)
        p_tool = frames[-1][:3, 3]
        columns = [np.cross(T[:3, 2], p_tool - T[:3, 3]) for T in frames[:-1]]
        return np.stack(columns, axis=1)

    def manipulability(self, q):
        J = self.jacobian(q)
        if J.shape[1] < 3:
            return np.sqrt(abs(np.linalg.det(J.T @ J)))
        return np.sqrt(np.abs(np.linalg.det(J @ J.T)))


def inverse_kinematics(arm, target, q0, damping=0.05, max_iter=60):
    """Iterate dq = J^T (J J^T + lambda^2 I)^-1 e until the error is small."""
    q = np.array(q0, dtype=float)
    eye = np.eye(3)
    errors = []
    for iteration in range(max_iter):
        error = target - arm.tool_position(q)
        norm = np.linalg.norm(error)
        errors.append(norm)
        if norm < TOL:
            break
        J = arm.jacobian(q)
        dq = J.T @ np.linalg.solve(J @ J.T + damping ** 2 * eye, error)
        biggest = np.max(np.abs(dq))
        if biggest > MAX_STEP:
            dq *= MAX_STEP / biggest
        q += dq
        for i, joint in enumerate(arm.joints):
            q[i] = joint.clamp(q[i])
    return q, np.array(errors)


def solve_pose(arm, q_start, target):
    """Move the tool from the pose at q_start towards target.

    Returns a dict with the manipulability at the start, the solved joint angles,
    the reached position, and the error history.
    """
    if len(arm) == 0:
        raise ValueError("the arm has no joints")
    if len(q_start) != len(arm):
        raise ValueError(f"expected {len(arm)} joint angles, got {len(q_start)}")
    x, y, z = target
    distance = np.sqrt(x ** 2 + y ** 2 + z ** 2)
    if distance > arm.max_reach + np.linalg.norm(arm.base[:3, 3]):
        raise ValueError(f"target at {distance:.3f} m is out of reach ({arm.max_reach:.3f} m)")

    start = arm.tool_position(q_start)
    q, errors = inverse_kinematics(arm, np.asarray(target), q_start)
    return {
        "tool_start": start,
        "manipulability": arm.manipulability(q_start),
        "q": q,
        "reached": arm.tool_position(q),
        "final_error": errors[-1],
        "iterations": len(errors),
    }


ENTRY = "solve_pose"


def _arm(rng, n):
    joints = tuple(
        Joint(a=float(rng.uniform(0.2, 0.6)), alpha=pi / 2 if i % 2 == 0 else -pi / 2, d=float(rng.uniform(0.0, 0.1)))
        for i in range(n)
    )
    return Arm(joints=joints, base=np.eye(4))


def make_arguments(rng, n):
    arm = _arm(rng, n)
    q = rng.uniform(-0.8, 0.8, size=n)
    target = arm.tool_position(q + rng.uniform(-0.2, 0.2, size=n))
    return (arm, q, 0.95 * target)


GRADIENT = ("arm", "q_start")
ERRORS = [
    (lambda rng, n: (_arm(rng, n), np.zeros(n + 1), np.zeros(3)), ValueError),
    (lambda rng, n: (_arm(rng, n), np.zeros(n), np.array([50.0, 0.0, 0.0])), ValueError),
]
