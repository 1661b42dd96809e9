"""t-SNE: perplexities by bisection, gradient descent with momentum and gains.

van der Maaten & Hinton, Visualizing data using t-SNE, JMLR 9 (2008).
"""
import numpy as np
from scipy.spatial.distance import pdist, squareform


def h_beta(D, beta):
    P = np.exp(-D * beta)
    sumP = np.sum(P)
    H = np.log(sumP) + beta * np.sum(D * P) / sumP
    return H, P / sumP


def x2p(X, tol=1e-5, perplexity=5.0):
    n, d = X.shape
    D = squareform(pdist(X, "sqeuclidean"))
    P = np.zeros((n, n))
    beta = np.ones(n)
    logU = np.log(perplexity)
    for i in range(n):
        betamin = -np.inf
        betamax = np.inf
        Di = D[i, np.concatenate((np.r_[0:i], np.r_[i + 1:n]))]
        H, thisP = h_beta(Di, beta[i])
        Hdiff = H - logU
        tries = 0
        while np.abs(Hdiff) > tol and tries < 50:
            if Hdiff > 0:
                betamin = beta[i]
                if betamax == np.inf or betamax == -np.inf:
                    beta[i] = beta[i] * 2.
                else:
                    beta[i] = (beta[i] + betamax) / 2.
            else:
                betamax = beta[i]
                if betamin == np.inf or betamin == -np.inf:
                    beta[i] = beta[i] / 2.
                else:
                    beta[i] = (beta[i] + betamin) / 2.
            H, thisP = h_beta(Di, beta[i])
            Hdiff = H - logU
            tries += 1
        P[i, np.concatenate((np.r_[0:i], np.r_[i + 1:n]))] = thisP
    return P


def tsne(X, Y0, perplexity, max_iter):
    n, d = X.shape
    initial_momentum = 0.5
    final_momentum = 0.8
    eta = 10
    min_gain = 0.01
    Y = Y0.copy()
    no_dims = Y.shape[1]
    dY = np.zeros((n, no_dims))
    iY = np.zeros((n, no_dims))
    gains = np.ones((n, no_dims))
    P = x2p(X, 1e-5, perplexity)
    P = P + np.transpose(P)
    P = P / np.sum(P)
    P = P * 4.
    P = np.maximum(P, 1e-12)
    for iter in range(max_iter):
        sum_Y = np.sum(np.square(Y), 1)
        num = -2. * np.dot(Y, Y.T)
        num = 1. / (1. + np.add(np.add(num, sum_Y).T, sum_Y))
        num[range(n), range(n)] = 0.
        Q = num / np.sum(num)
        Q = np.maximum(Q, 1e-12)
        PQ = P - Q
        for i in range(n):
            dY[i, :] = np.sum(np.tile(PQ[:, i] * num[:, i], (no_dims, 1)).T * (Y[i, :] - Y), 0)
        momentum = initial_momentum if iter < 20 else final_momentum
        gains = (gains + 0.2) * ((dY > 0.) != (iY > 0.)) + (gains * 0.8) * ((dY > 0.) == (iY > 0.))
        gains[gains < min_gain] = min_gain
        iY = momentum * iY - eta * (gains * dY)
        Y = Y + iY
        Y = Y - np.tile(np.mean(Y, 0), (n, 1))
        if iter == 10:
            P = P / 4.
    C = np.sum(P * np.log(P / Q))
    return C, Y


ENTRY = "tsne"


def make_arguments(rng, n):
    return rng.normal(size=(5 * n, 4)), 1e-2 * rng.normal(size=(5 * n, 2)), 4.0, 12


GRADIENT = ("Y0",)
ERRORS = []
