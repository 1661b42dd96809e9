import numpy as np

HEAD = "import scipy.fft"
R = np.random.default_rng(5)
ARRAYS = {
    "X": R.normal(size=9),
    "Y": R.normal(size=(4, 6)),
    "Z": R.normal(size=(4, 6)) + 1j * R.normal(size=(4, 6)),
    "F": R.normal(size=8).astype(np.float32),
    "N": np.arange(5),
}
KINDS = "".join(f"scipy.fft.{name}(X, type={t})\nscipy.fft.{name}(Y, {t}, axis=0, norm='ortho')\n"
                f"scipy.fft.{name}(Y, {t}, norm='forward')\n"
                for name in ("dct", "idct", "dst", "idst") for t in (1, 2, 3, 4))  # fmt: skip
CALLS = KINDS + """
scipy.fft.fft(X)
scipy.fft.ifft(Z, axis=0)
scipy.fft.rfft(Y, 8, norm="ortho")
scipy.fft.irfft(Z, workers=2)
scipy.fft.hfft(Z)
scipy.fft.ihfft(Y)
scipy.fft.fft2(Y)
scipy.fft.ifft2(Z)
scipy.fft.rfft2(Y)
scipy.fft.irfft2(Z)
scipy.fft.fftn(Y, axes=(0,))
scipy.fft.ifftn(Z)
scipy.fft.rfftn(Y)
scipy.fft.irfftn(Z)
scipy.fft.fft(F)
scipy.fft.fftfreq(8, 0.5)
scipy.fft.rfftfreq(7)
scipy.fft.fftshift(X)
scipy.fft.ifftshift(Y, axes=1)
scipy.fft.next_fast_len(97)
scipy.fft.next_fast_len(97, real=True)
scipy.fft.dct(X, n=5)
scipy.fft.dct(X, n=12)
scipy.fft.dct(F)
scipy.fft.dct(N)
scipy.fft.dct(Z)
scipy.fft.dct(X, norm="ortho", orthogonalize=False)
scipy.fft.dctn(Y)
scipy.fft.idctn(Y, norm="ortho")
scipy.fft.dctn(Y, axes=0)
scipy.fft.dstn(Y, s=(3, 4))
scipy.fft.idstn(Y)
""".lstrip()
SMOOTH = """
scipy.fft.dct(X, norm="ortho")
scipy.fft.dctn(Y)
scipy.fft.idct(X)
scipy.fft.dst(X, type=1)
scipy.fft.dct(X, type=4)
"""
