"""More calls of NumPy's functions by family, on complex arrays too: what `library_calls.py` has no room for."""

import numpy as np


def of_family(text):
    return [line.strip() for line in text.strip().splitlines()]


Z = np.array([1.5 - 0.5j, -0.25 + 2j, 3.0 + 0j, -0.75j])
ZA = np.array([[0.5 + 1j, -1.5, 2.0 - 1j], [3.0 + 0.5j, 0.25j, -0.75 - 2j]])
ODDZ = np.array([complex(a, b) for a, b in (
    (1, 2), (1, -2), (np.nan, 1), (0, np.nan), (-np.inf, 3), (2, np.inf), (np.nan, np.nan), (0, 0), (1, np.nan),
    (np.inf, np.inf), (-0.0, -1), (np.nan, 0),
)])  # fmt: skip
S = ZA @ ZA[:, ::-1].conj().T  # a square, and one that is positive definite
P = ZA.conj().T @ ZA + np.eye(3)
MORE_ARRAYS = {
    "Z": Z, "ZA": ZA, "Z64": Z.astype(np.complex64), "S": S, "P": P, "P64": P.astype(np.complex64), "ODDZ": ODDZ,
}  # fmt: skip

MORE_CALLS = {
    "fourier": of_family("""
        np.fft.fft(V)
        np.fft.fft(Z)
        np.fft.fft(ZA, axis=0)
        np.fft.fft(C, 5, 1)
        np.fft.fft(C, 2, axis=-2, norm="ortho")
        np.fft.fft(V32)
        np.fft.fft(H)
        np.fft.fft(I32)
        np.fft.fft(M)
        np.fft.fft(E)
        np.fft.fft(E, 3)
        np.fft.fft(V, 0)
        np.fft.fft(V, norm="other")
        np.fft.fft(V[:0].reshape(0, 1))
        np.fft.fft(ODD)
        np.fft.fft([1, 2.0, 3j])
        np.fft.ifft(Z)
        np.fft.ifft(A)
        np.fft.ifft(Z64, norm="forward")
        np.fft.ifft(Z, 7, norm="ortho")
        np.fft.ifft(V, norm="other")
        np.fft.rfft(V)
        np.fft.rfft(W)
        np.fft.rfft(A, 4)
        np.fft.rfft(A, axis=0)
        np.fft.rfft(C[:, ::-1], 2, axis=1, norm="forward")
        np.fft.rfft(V32)
        np.fft.rfft(H)
        np.fft.rfft(V, -1)
        np.fft.irfft(Z)
        np.fft.irfft(Z, 5)
        np.fft.irfft(Z, 9)
        np.fft.irfft(ZA, axis=0)
        np.fft.irfft(ZA, 3, norm="ortho")
        np.fft.irfft(Z64)
        np.fft.irfft(H)
        np.fft.irfft(V[:1])
        np.fft.hfft(Z)
        np.fft.hfft(ZA, 3, 0, "ortho")
        np.fft.ihfft(V)
        np.fft.ihfft(A, 5, norm="forward")
        np.fft.fftn(C)
        np.fft.fftn(ZA, (3, 2), axes=(0, 1))
        np.fft.fftn(C, axes=(2, 0), norm="ortho")
        np.fft.fftn(C, (3, -1), axes=(0, 1))
        np.fft.fftn(C, (3,), axes=(0, 1))
        np.fft.ifftn(C, axes=(1,))
        np.fft.rfftn(C)
        np.fft.rfftn(C, (2, 3), (2, 1))
        np.fft.irfftn(ZA)
        np.fft.irfftn(ZA, (3, 3), axes=(0, 1), norm="forward")
        np.fft.fft2(A)
        np.fft.ifft2(C, (2, 2))
        np.fft.rfft2(A, norm="ortho")
        np.fft.irfft2(ZA)
        np.fft.fftfreq(8, 0.1)
        np.fft.fftfreq(len(V) + 1)
        np.fft.fftfreq(1)
        np.fft.rfftfreq(7, d=0.5)
        np.fft.rfftfreq(len(V))
        np.fft.fftshift(V)
        np.fft.fftshift(W)
        np.fft.fftshift(ZA)
        np.fft.fftshift(C, axes=1)
        np.fft.fftshift(C, axes=(0, 2))
        np.fft.ifftshift(W)
        np.fft.ifftshift(C, 2)
        np.fft.ifftshift(I)
    """),
    "complex order": of_family("""
        np.sort(Z)
        np.sort(ZA, axis=0)
        np.sort(ODDZ)
        np.sort(Z64)[::-1]
        np.argsort(ZA)
        np.argsort(ODDZ, stable=True)
        np.partition(Z, 1)[1]
        np.lexsort((V, Z))
        np.max(Z)
        np.max(ZA, axis=0)
        np.max(ODDZ)
        np.max(Z64, keepdims=True)
        np.max(Z[:0])
        np.max(Z, initial=5j)
        np.min(ZA)
        np.min(ZA, axis=(0, 1))
        np.min(ODDZ[:3])
        np.amax(ZA, axis=1, keepdims=True)
        np.argmax(Z)
        np.argmax(ODDZ)
        np.argmin(ZA, axis=1)
        np.argmin(Z[:0])
        np.ptp(Z)
        np.median(Z)
        np.median(ZA, axis=1)
        np.median(ODDZ)
        np.median(Z64[:3])
        np.unique(ZA.real + 0j)
        np.unique(np.concatenate((Z, Z)), return_inverse=True, return_counts=True)
        np.unique(ODDZ)
        np.searchsorted(np.sort(Z), ZA)
        np.searchsorted([1j, 1 + 0j], V, side="right")
        np.isin(Z, [3.0, 1j])
        np.union1d(Z, V)
        np.sign(Z)
        np.sign(ODDZ)
        np.sign(Z64)
        np.sign(V)
        np.sign(3)
        np.sign(I32)
        np.sign(0j)
    """),
    "complex linear algebra": of_family("""
        np.linalg.cholesky(P)
        np.linalg.cholesky(P64)
        np.linalg.cholesky(P, upper=True)
        np.linalg.cholesky(-P)
        np.linalg.cholesky(ZA)
        np.linalg.qr(ZA)[0]
        np.linalg.qr(ZA.T)[1]
        np.linalg.svd(ZA, full_matrices=False)
        np.linalg.svd(ZA, compute_uv=False)
        np.linalg.svdvals(ZA)
        np.linalg.eigh(P)
        np.linalg.eigh(P, "U")
        np.linalg.eigvalsh(P64)
        np.linalg.eigvals(S)
        np.linalg.eig(S)
        np.linalg.det(S)
        np.linalg.det(ZA)
        np.linalg.det(P64)
        np.linalg.det(np.zeros((2, 2), complex))
        np.linalg.slogdet(S)
        np.linalg.slogdet(P64)
        np.linalg.slogdet(np.zeros((2, 2), complex))
        np.linalg.pinv(ZA)
        np.linalg.pinv(P64, rcond=0.1)
        np.linalg.lstsq(ZA.T, W)
        np.linalg.lstsq(ZA, Z[:2])
        np.linalg.lstsq(P64, W)
        np.linalg.matrix_rank(ZA)
        np.linalg.matrix_rank(np.ones((3, 3)) * 1j)
        np.linalg.norm(ZA, 2)
        np.linalg.norm(ZA, "nuc")
        np.linalg.norm(Z, 3)
        np.linalg.cond(S)
        np.linalg.cond(P, 1)
        np.linalg.matrix_power(S, -2)
    """),
}
MORE_REFUSED = {
    "np.fft.rfft(Z)": "T001",
    "np.fft.fft(V[0])": "S002",
    "np.fft.fft(V, axis=1)": "S002",
    "np.fft.irfft2(Z)": "S002",
}
