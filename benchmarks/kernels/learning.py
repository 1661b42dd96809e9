"""Statistics and layers of networks."""

import numpy as np

from .kernel import Kernel, uniform


def covariance(data):
    n, m = data.shape
    data = data - np.sum(data, axis=0) / n
    cov = np.zeros((m, m))
    for i in range(m):
        cov[i, i:] = data[:, i] @ data[:, i:] / (n - 1.0)
        cov[i:, i] = cov[i, i:]
    return cov


def correlation(data):
    n, m = data.shape
    mean = np.sum(data, axis=0) / n
    spread = np.sqrt(np.sum((data - mean) ** 2, axis=0) / n)
    data = (data - mean) / (np.sqrt(1.0 * n) * spread)
    corr = np.eye(m)
    for i in range(m - 1):
        corr[i, i + 1 :] = data[:, i] @ data[:, i + 1 :]
        corr[i + 1 :, i] = corr[i, i + 1 :]
    return corr * corr


def softmax(x):
    shifted = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return (shifted / np.sum(shifted, axis=-1, keepdims=True)) ** 2


def convolve(images, weights):
    """A layer of a convolution without padding: images N x H x W x C, weights K x K x C x D."""
    k = weights.shape[0]
    n, h, w = images.shape[0], images.shape[1] - k + 1, images.shape[2] - k + 1
    out = np.zeros((n, h, w, weights.shape[3]))
    for i in range(h):
        for j in range(w):
            patch = images[:, i : i + k, j : j + k, :, None]
            out[:, i, j, :] = np.sum(patch * weights[None], axis=(1, 2, 3))
    return out


def _pool(x):
    n, h, w, c = x.shape
    out = np.zeros((n, h // 2, w // 2, c))
    for i in range(h // 2):
        for j in range(w // 2):
            out[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    return out


def lenet(conv1, conv2, dense1, dense2, images):
    x = np.maximum(convolve(images, conv1), 0.0)
    x = _pool(x)
    x = np.maximum(convolve(x, conv2), 0.0)
    x = _pool(x)
    x = np.reshape(x, (x.shape[0], x.shape[1] * x.shape[2] * x.shape[3]))
    x = np.maximum(x @ dense1, 0.0)
    return x @ dense2


def _normalise(x):
    mean = np.mean(x, axis=(0, 1, 2), keepdims=True)
    spread = np.sqrt(np.mean((x - mean) ** 2, axis=(0, 1, 2), keepdims=True) + 1e-5)
    return (x - mean) / spread


def resnet_block(conv1, conv2, conv3, images):
    """The bottleneck block: 1 x 1, 3 x 3, 1 x 1, each normalised, and the way around."""
    x = np.maximum(_normalise(images @ conv1), 0.0)
    n, h, w, c = x.shape
    padded = np.zeros((n, h + 2, w + 2, c))
    padded[:, 1:-1, 1:-1, :] = x
    x = np.maximum(_normalise(convolve(padded, conv2)), 0.0)
    x = _normalise(x @ conv3)
    return np.maximum(x + images, 0.0)


def mlp(w1, b1, w2, b2, x):
    x = np.maximum(x @ w1 + b1, 0.0)
    x = x @ w2 + b2
    shifted = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return (shifted / np.sum(shifted, axis=-1, keepdims=True)) ** 2


def _lenet_arguments(size, random):
    shapes = (5, 5, 1, 3), (3, 3, 3, 4), (16, 8), (8, 5), (size, 16, 16, 1)
    return tuple(random.random(shape) - 0.3 for shape in shapes)


def _block_arguments(size, random):
    shapes = (8, 4), (3, 3, 4, 4), (4, 8), (2, size, size, 8)
    return tuple(random.random(shape) - 0.3 for shape in shapes)


def _layers(size, random):
    shapes = (2 * size, size), (size,), (size, 10), (10,), (size, 2 * size)
    return tuple(random.random(shape) - 0.4 for shape in shapes)


def _peer(function):
    """A function without stores means the same to both."""

    def peer(jax, jnp):
        return type(function)(function.__code__, {**function.__globals__, "np": jnp})

    return peer


def _covariance(jax, jnp):
    def covariance(data):
        data = data - jnp.mean(data, axis=0)
        return data.T @ data / (data.shape[0] - 1.0)

    return covariance


def _correlation(jax, jnp):
    def correlation(data):
        n = data.shape[0]
        centred = data - jnp.mean(data, axis=0)
        scaled = centred / (jnp.sqrt(n) * jnp.sqrt(jnp.mean(centred**2, axis=0)))
        corr = scaled.T @ scaled
        corr = jnp.where(jnp.eye(corr.shape[0]) > 0.0, 1.0, corr)
        return corr * corr

    return correlation


def _conv(jax, padding="VALID"):
    def conv(x, w):
        return jax.lax.conv_general_dilated(x, w, (1, 1), padding, dimension_numbers=("NHWC", "HWIO", "NHWC"))

    return conv


def _lenet(jax, jnp):
    conv = _conv(jax)

    def pool(x):
        n, h, w, c = x.shape
        return jnp.max(x[:, : h // 2 * 2, : w // 2 * 2].reshape(n, h // 2, 2, w // 2, 2, c), axis=(2, 4))

    def lenet(conv1, conv2, dense1, dense2, images):
        x = pool(jnp.maximum(conv(images, conv1), 0.0))
        x = pool(jnp.maximum(conv(x, conv2), 0.0))
        return jnp.maximum(x.reshape(x.shape[0], -1) @ dense1, 0.0) @ dense2

    return lenet


def _resnet_block(jax, jnp):
    conv = _conv(jax, "SAME")

    def normalise(x):
        mean = jnp.mean(x, axis=(0, 1, 2), keepdims=True)
        return (x - mean) / jnp.sqrt(jnp.mean((x - mean) ** 2, axis=(0, 1, 2), keepdims=True) + 1e-5)

    def block(conv1, conv2, conv3, images):
        x = jnp.maximum(normalise(images @ conv1), 0.0)
        x = jnp.maximum(normalise(conv(x, conv2)), 0.0)
        return jnp.maximum(normalise(x @ conv3) + images, 0.0)

    return block


KERNELS = [
    Kernel(covariance, uniform("2n, n"), 3, 200, 1, _covariance),
    Kernel(correlation, uniform("2n, n"), 3, 200, 1, _correlation),
    Kernel(softmax, uniform("n, n"), 4, 600, 1, _peer(softmax)),
    Kernel(lenet, _lenet_arguments, 1, 32, 4, _lenet),
    Kernel(resnet_block, _block_arguments, 4, 28, 3, _resnet_block),
    Kernel(mlp, _layers, 3, 200, 4, _peer(mlp)),
]
