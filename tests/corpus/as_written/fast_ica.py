"""Independent components by FastICA after whitening by principal components.

Hyvärinen & Oja, Independent component analysis: algorithms and applications, Neural Networks 13 (2000).
"""
import numpy as np
from scipy import linalg


def pca(X, n_components):
    X = X - X.mean(axis=0)
    U, S, Vt = np.linalg.svd(X, full_matrices=False)
    max_abs = np.argmax(np.abs(U), axis=0)
    signs = np.sign(U[max_abs, np.arange(U.shape[1])])
    U = U * signs
    Vt = Vt * signs[:, np.newaxis]
    explained = S**2 / (len(X) - 1)
    return U[:, :n_components] * S[:n_components], Vt[:n_components], explained / explained.sum()


def symmetric_decorrelation(W):
    s, u = linalg.eigh(W @ W.T)
    s = np.clip(s, np.finfo(W.dtype).tiny, None)
    return np.linalg.multi_dot([u * (1.0 / np.sqrt(s)), u.T, W])


def logcosh(x, alpha=1.0):
    gx = np.tanh(alpha * x)
    g_x = np.empty(x.shape[0], dtype=x.dtype)
    for i, gx_i in enumerate(gx):
        g_x[i] = (alpha * (1 - gx_i**2)).mean()
    return gx, g_x


def fast_ica(X, W0, max_iter=100, tol=1e-8):
    n_components = W0.shape[0]
    if n_components > X.shape[1]:
        raise ValueError("more components than signals")
    scores, components, ratio = pca(X, n_components)
    X1 = (scores / scores.std(axis=0)).T
    p = X1.shape[1]
    W = symmetric_decorrelation(W0)
    n_iter = 0
    for ii in range(max_iter):
        gwtx, g_wtx = logcosh(W @ X1)
        W1 = symmetric_decorrelation(gwtx @ X1.T / p - g_wtx[:, np.newaxis] * W)
        lim = max(abs(abs(np.einsum("ij,ij->i", W1, W)) - 1))
        W = W1
        n_iter = ii + 1
        if lim < tol:
            break
    sources = (W @ X1).T
    kurtosis = np.mean(sources**4, axis=0) - 3
    return kurtosis, np.abs(W @ components), ratio, n_iter


ENTRY = "fast_ica"


def make_arguments(rng, n):
    t = np.linspace(0, 8, 40 * n)
    S = np.column_stack([np.sin(2 * t), np.sign(np.sin(3 * t)), rng.laplace(size=len(t))])
    return S @ rng.normal(size=(3, 3)).T + 0.05 * rng.normal(size=S.shape), rng.normal(size=(3, 3))


GRADIENT = ("X",)
ERRORS = [(lambda rng, n: (rng.normal(size=(20, 2)), rng.normal(size=(3, 3))), ValueError)]
