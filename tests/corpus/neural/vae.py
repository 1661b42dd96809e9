"""A variational autoencoder (Kingma and Welling 2014), in classes; also the bound by weights."""
import numpy as np


class Dense:
    def __init__(self, rng, n_in, n_out, activation=None):
        self.W = rng.normal(0, np.sqrt(2 / (n_in + n_out)), (n_in, n_out))
        self.b = np.zeros(n_out)
        self.activation = activation

    def __call__(self, x):
        y = np.dot(x, self.W) + self.b
        return y if self.activation is None else self.activation(y)


def softplus(x):
    return np.logaddexp(0.0, x)


class VAE:
    def __init__(self, rng, n_x, n_h, n_z):
        self.enc = Dense(rng, n_x, n_h, np.tanh)
        self.mu = Dense(rng, n_h, n_z)
        self.logvar = Dense(rng, n_h, n_z)
        self.dec = [Dense(rng, n_z, n_h, softplus), Dense(rng, n_h, n_x)]

    def encode(self, x):
        h = self.enc(x)
        return self.mu(h), self.logvar(h)

    def decode(self, z):
        for layer in self.dec:
            z = layer(z)
        return z

    def elbo(self, x, eps):
        mu, logvar = self.encode(x)
        z = mu + np.exp(0.5 * logvar) * eps
        logits = self.decode(z)
        recon = np.sum(x * logits - softplus(logits), axis=-1)
        kl = -0.5 * np.sum(1 + logvar - mu**2 - np.exp(logvar), axis=-1)
        return recon - kl

    def iwae(self, x, eps):
        mu, logvar = self.encode(x)
        z = mu + np.exp(0.5 * logvar) * eps
        logits = self.decode(z)
        log_p_x = np.sum(x * logits - softplus(logits), axis=-1)
        log_p_z = -0.5 * np.sum(z**2 + np.log(2 * np.pi), axis=-1)
        log_q = -0.5 * np.sum(eps**2 + logvar + np.log(2 * np.pi), axis=-1)
        log_w = log_p_x + log_p_z - log_q
        biggest = log_w.max(axis=0)
        return biggest + np.log(np.mean(np.exp(log_w - biggest), axis=0))


def loss(model, x, eps):
    return -model.elbo(x, eps[0]).mean() - 0.5 * model.iwae(x, eps).mean()


def make_arguments(rng):
    return VAE(rng, 6, 5, 2), (rng.random((4, 6)) > 0.5).astype(float), rng.normal(size=(3, 4, 2))
