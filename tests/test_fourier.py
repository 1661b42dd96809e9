"""Fourier transforms: derivatives in JAX's convention, batches, the call by address; values: `numpy_calls.py`."""

import ctypes

import numpy as np
import pytest

import pellucid
from pellucid import compile, grad, jvp, vmap
from pellucid.compiler.request import Gradient
from pellucid.runtime import ufuncs

from .harness.answers import function_of
from .harness.stages import Stages
from .test_complex import differences

X = np.random.default_rng(0).normal(size=(3, 4))
Z = X + 1j * np.random.default_rng(1).normal(size=(3, 4))
OF_COMPLEX = """
np.fft.fft(x, 5)
np.fft.ifft(x, 3, axis=0, norm="ortho")
np.fft.irfft(x)
np.fft.irfft(x, 5, norm="forward")
np.fft.hfft(x, 3)
np.fft.fftshift(np.fft.fft2(x))
""".strip().splitlines()
OF_REALS = """
np.fft.fft(x)
np.fft.rfft(x)
np.fft.rfft(x, 5)
np.fft.ihfft(x, 3, axis=0)
np.fft.irfft(x, 4)
""".strip().splitlines()
CASES = [(text, X) for text in OF_REALS] + [(text, Z) for text in OF_COMPLEX]


def energy_of(text):
    return function_of(f"np.sum(np.abs({text} + 0.3) ** 2.5)")


@pytest.mark.parametrize(("text", "at"), CASES)
def test_gradients_are_slopes(text, at):
    energy = energy_of(text)
    (found,) = Stages(energy, [Gradient((0,))]).run("typed", at).value
    np.testing.assert_allclose(found, differences(energy, at), rtol=1e-5, atol=1e-6)


def test_forward_mode_and_second_derivatives():
    energy = energy_of("np.fft.irfft(np.fft.rfft(x, axis=1)[:, :2], 5)")
    slope = differences(energy, X)
    np.testing.assert_allclose(jvp(energy, (X,), (Z.imag,))[1], np.sum(slope * Z.imag), rtol=1e-6)
    along = grad(lambda x: np.sum(grad(energy)(x) ** 2))(X)
    step, direction = 1e-6, grad(energy)(X)
    wanted = (grad(energy)(X + step * direction) - grad(energy)(X - step * direction)) / step
    np.testing.assert_allclose(along, wanted, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("text", ["np.fft.fft(x)", "np.fft.irfft(x, 5, axis=0)"])
def test_all_examples_are_one_call(text):
    function = function_of(text)
    examples = np.stack([Z, 2.0 * Z, Z[::-1]])
    batched = vmap(function)
    assert "for b in" not in batched.source("typed", examples)
    np.testing.assert_allclose(batched(examples), [function(z) for z in examples])


def test_derivatives_are_transforms():
    text = grad(energy_of("np.fft.rfft(x)")).source("reverse", "f64[n, m]")
    assert "support.irfft(" in text
    assert "np.fft.fft(" in grad(energy_of("np.fft.fft(x)")).source("reverse", "c128[n, m]")


@pytest.mark.parametrize("array", [Z, Z[::-1, ::2], Z.T, np.asfortranarray(Z), Z[:0]])
def test_arrays_that_lie_otherwise_are_not_copied(array):
    np.testing.assert_array_equal(compile(np.fft.fft)(array), np.fft.fft(array))
    np.testing.assert_array_equal(compile(np.fft.rfft)(array.real), np.fft.rfft(array.real))


def test_lengths_and_axes_that_the_run_knows():
    def resampled(x, n):
        return np.fft.irfft(np.fft.rfft(x, n), 2 * n)

    for n in (1, 2, 3, 8):
        np.testing.assert_allclose(compile(resampled)(X[0], n), resampled(X[0], n), atol=1e-15)
    with pytest.raises(ValueError, match=r"Invalid number of FFT data points \(0\) specified"):
        compile(resampled)(X[0], 0)


def test_a_record_that_is_not_numpys_is_refused(monkeypatch):
    assert ufuncs.address_of("d_fft") and ufuncs.address_of("d_fft_data")
    for name in ("d_other", "q_fft"):
        with pytest.raises(LookupError):
            ufuncs.address_of(name)

    class Longer(ctypes.Structure):
        _fields_ = (("more", ctypes.c_int), *ufuncs._Ufunc._fields_)

    monkeypatch.setattr(ufuncs, "_Ufunc", Longer)
    with pytest.raises(LookupError, match=r"numpy/ufuncobject\.h"):
        ufuncs.address_of("d_fft")


def test_what_is_no_transform():
    with pytest.raises(pellucid.CompileError, match="real numbers"):
        compile(np.fft.rfft)(Z)
