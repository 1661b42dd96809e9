"""From spectra to colours: tristimulus values, chromatic adaptation, CIELAB, colour difference, and names of hues.

Wyman, Sloan & Shirley (2013) for the fits of the matching functions; Lindbloom for the Bradford matrix; CIE 1976.
"""
import numpy as np

HUES = ("red", "yellow", "green", "cyan", "blue", "magenta")


def lobe(wavelength, mean, left, right):
    width = np.where(wavelength < mean, left, right)
    return np.exp(-0.5 * ((wavelength - mean) / width) ** 2)


def matching_functions(wavelength):
    x = (1.056 * lobe(wavelength, 599.8, 37.9, 31.0) + 0.362 * lobe(wavelength, 442.0, 16.0, 26.7)
         - 0.065 * lobe(wavelength, 501.1, 20.4, 26.2))
    y = 0.821 * lobe(wavelength, 568.8, 46.9, 40.5) + 0.286 * lobe(wavelength, 530.9, 16.3, 31.1)
    z = 1.217 * lobe(wavelength, 437.0, 11.8, 36.0) + 0.681 * lobe(wavelength, 459.0, 26.0, 13.8)
    return np.stack([x, y, z])


def planck(wavelength, temperature):
    """Spectral radiance of a black body, scaled to 1 at 560 nm."""
    c2 = 1.4388e7
    radiance = lambda w: w ** -5.0 / np.expm1(c2 / (w * temperature))
    return radiance(wavelength) / radiance(560.0)


def tristimulus(spectrum, light, wavelength):
    xyz_bar = matching_functions(wavelength)
    k = 1.0 / np.trapezoid(xyz_bar[1] * light, wavelength)
    return k * np.trapezoid(xyz_bar * spectrum * light, wavelength, axis=1)


def adapt(xyz, white_from, white_to):
    """Von Kries adaptation in the cone space of Bradford."""
    bradford = np.array([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])
    gain = (bradford @ white_to) / (bradford @ white_from)
    return np.linalg.inv(bradford) @ np.diag(gain) @ bradford @ xyz


def lab(xyz, white):
    def f(t):
        return np.cbrt(t) if t > (6 / 29) ** 3 else t / (3 * (6 / 29) ** 2) + 4 / 29

    fx, fy, fz = (f(v / w) for v, w in zip(xyz, white))
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])


def delta_e94(one, other):
    dl, da, db = one - other
    c1, c2 = np.hypot(*one[1:]), np.hypot(*other[1:])
    dc = c1 - c2
    dh2 = max(da ** 2 + db ** 2 - dc ** 2, 0.0)
    return np.sqrt(dl ** 2 + (dc / (1 + 0.045 * c1)) ** 2 + dh2 / (1 + 0.015 * c1) ** 2 + 1e-12)


def hue_name(colour):
    if np.hypot(colour[1], colour[2]) < 5.0:
        return "grey"
    angle = np.degrees(np.arctan2(colour[2], colour[1])) % 360.0
    return HUES[int(angle // 60)]


def to_srgb(xyz):
    m = np.array([[3.2406, -1.5372, -0.4986], [-0.9689, 1.8758, 0.0415], [0.0557, -0.2040, 1.0570]])
    linear = np.clip(m @ xyz, 0.0, 1.0)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * np.maximum(linear, 1e-9) ** (1 / 2.4) - 0.055)


def hex_code(rgb):
    digits = "0123456789abcdef"
    code = "#"
    for value in rgb:
        byte = int(round(255 * value))
        code += digits[byte // 16] + digits[byte % 16]
    return code


def render_swatches(reflectances, wavelength, temperature=5000.0, reference=6500.0):
    """Colours of surfaces under a lamp, adapted to a reference white, and how far they are from each other."""
    if reflectances.ndim != 2 or reflectances.shape[1] != len(wavelength):
        raise ValueError(f"spectra of shape {reflectances.shape} on {len(wavelength)} wavelengths")
    if np.any(reflectances < 0) or np.any(reflectances > 1):
        raise ValueError("a reflectance is between 0 and 1")
    lamp, daylight = planck(wavelength, temperature), planck(wavelength, reference)
    perfect = np.ones_like(wavelength)
    white, target = tristimulus(perfect, lamp, wavelength), tristimulus(perfect, daylight, wavelength)
    colours, names, codes = [], [], []
    for spectrum in reflectances:
        xyz = adapt(tristimulus(spectrum, lamp, wavelength), white, target)
        colours.append(lab(xyz, target))
        names.append(hue_name(colours[-1]))
        codes.append(hex_code(to_srgb(xyz)))
    differences = [delta_e94(a, b) for i, a in enumerate(colours) for b in colours[i + 1:]]
    counts = {name: names.count(name) for name in names}
    return {
        "mean_difference": np.mean(differences),
        "lightness": np.array([c[0] for c in colours]),
        "names": names,
        "counts": counts,
        "codes": " ".join(codes),
    }


ENTRY = "render_swatches"


def make_arguments(rng, n):
    wavelength = np.arange(400.0, 701.0, 10.0)
    centre = rng.uniform(420, 680, size=(n, 1))
    return (0.1 + 0.8 * np.exp(-((wavelength - centre) / 60.0) ** 2), wavelength, 4200.0)


GRADIENT = ("reflectances", "temperature")
ERRORS = [
    (lambda rng, n: (np.ones((n, 5)), np.arange(400.0, 700.0, 10.0)), ValueError),
    (lambda rng, n: (np.full((n, 30), 1.5), np.arange(400.0, 700.0, 10.0)), ValueError),
]
