"""Optical coatings: characteristic matrices of a multilayer, dispersion, oblique incidence, two polarisations, merit.

Macleod, "Thin-film optical filters"; Sellmeier and Cauchy dispersion; Snell's law with complex indices.
"""
from dataclasses import dataclass

import numpy as np

SELLMEIER = {
    "bk7": ((1.03961212, 0.231792344, 1.01046945), (0.00600069867, 0.0200179144, 103.560653)),
    "silica": ((0.6961663, 0.4079426, 0.8974794), (0.0046791, 0.0135121, 97.9340)),
}
CAUCHY = {"tio2": (2.2, 0.03), "mgf2": (1.37, 0.0036)}


@dataclass(frozen=True)
class Layer:
    material: str
    thickness: float
    absorption: float = 0.0

    def index(self, wavelength):
        return refractive_index(self.material, wavelength) - 1j * self.absorption


def refractive_index(material, wavelength):
    w2 = wavelength**2
    if material in SELLMEIER:
        bs, cs = SELLMEIER[material]
        return np.sqrt(1 + sum(b * w2 / (w2 - c) for b, c in zip(bs, cs)))
    elif material in CAUCHY:
        a, b = CAUCHY[material]
        return a + b / w2
    elif material == "air":
        return 1.0
    raise KeyError(material)


def admittance(n, cos_t, polarisation):
    return n * cos_t if polarisation == "s" else n / cos_t


def characteristic(n, thickness, wavelength, cos_t, polarisation):
    delta = 2 * np.pi * n * thickness * cos_t / wavelength
    eta = admittance(n, cos_t, polarisation)
    return np.array([[np.cos(delta), 1j * np.sin(delta) / eta], [1j * eta * np.sin(delta), np.cos(delta)]])


def reflect(layers, wavelength, angle, polarisation, substrate="bk7"):
    """Amplitude reflectance, R and T."""
    n0 = 1.0
    sin0 = n0 * np.sin(angle)
    system = np.eye(2, dtype=complex)
    for layer in layers:
        n = layer.index(wavelength)
        cos_t = np.sqrt(1 - (sin0 / n) ** 2)
        system = system @ characteristic(n, layer.thickness, wavelength, cos_t, polarisation)
    ns = refractive_index(substrate, wavelength)
    eta0 = admittance(n0, np.cos(angle), polarisation)
    eta_s = admittance(ns, np.sqrt(1 - (sin0 / ns) ** 2), polarisation)
    b, c = system @ np.array([1.0, eta_s])
    r = (eta0 * b - c) / (eta0 * b + c)
    return r, abs(r) ** 2, 4 * eta0 * np.real(eta_s) / abs(eta0 * b + c) ** 2


def quarter_wave_stack(pairs, design, high="tio2", low="mgf2"):
    stack = []
    for _ in range(pairs):
        stack += [Layer(high, design / (4 * refractive_index(high, design))),
                  Layer(low, design / (4 * refractive_index(low, design)))]
    return stack


def coating(thicknesses, wavelengths, angle, target):
    """Merit of a design, mean reflectance by wavelength, phase, the stop band of a mirror and the energy balance."""
    if np.any(thicknesses < 0):
        raise ValueError("thicknesses must not be negative")
    materials = ["tio2", "mgf2"]
    layers = [Layer(materials[k % 2], t, 1e-4) for k, t in enumerate(thicknesses)]
    spectrum, phases, worst = [], [], 0.0
    for w in wavelengths:
        rs, Rs, Ts = reflect(layers, w, angle, "s")
        rp, Rp, Tp = reflect(layers, w, angle, "p")
        spectrum.append((Rs + Rp) / 2)
        phases.append(np.angle(rs))
        worst = max(worst, Rs + Ts, Rp + Tp)
    R = np.array(spectrum)
    merit = np.sqrt(np.mean((R - target) ** 2))
    mirror = [reflect(quarter_wave_stack(3, 0.55), w, 0.0, "s")[1] for w in wavelengths]
    band = [float(w) for w, m in zip(wavelengths, mirror) if m > 0.8]
    width = band[-1] - band[0] if band else 0.0
    return merit, R, np.unwrap(phases), np.array(mirror), width, worst <= 1.0


ENTRY = "coating"


def make_arguments(rng, n):
    return 0.05 + 0.1 * rng.uniform(size=n), np.linspace(0.45, 0.7, 8), 0.3, 0.0


GRADIENT = ("thicknesses",)
ERRORS = [(lambda rng, n: (-np.ones(n), np.linspace(0.45, 0.7, 8), 0.3, 0.0), ValueError)]
