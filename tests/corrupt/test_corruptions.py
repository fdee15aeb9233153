"""Corruptions without randomness agree with their formulas in numpy, to the byte up to rounding; of the others shares, means, deviations and structure are
looked at. Skipped without numpy."""
import math
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE, BUILD = os.environ["SOURCE_DIR"], os.environ["BUILD_DIR"]
sys.path.insert(0, os.path.join(SOURCE, "tests", "support"))
import peers  # tests/support/peers.py

peers.need("numpy")
import numpy as np

RNG = np.random.RandomState(5)
FAILURES = []


def picture(h, w, c=3):
    """Bytes with soft and sharp parts, as numbers in 0..1, (c, h, w)."""
    y, x = np.mgrid[0:h, 0:w]
    planes = [0.5 + 0.4 * np.sin(x / (3.0 + k) + k) * np.cos(y / (4.0 + k)) + 0.1 * RNG.rand(h, w) + 0.3 * ((x // 7 + y // 5 + k) % 2) - 0.2 for k in range(c)]
    return np.floor(np.clip(planes, 0, 1) * 255) / 255


def ours(name, severity, scale, pictures, frost=None):
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, f) for f in ("in.npy", "out.npy")]
        np.save(files[0], np.asarray(pictures, np.float32))
        done = subprocess.run([os.path.join(BUILD, "tests", "corrupt_pictures"), name, str(severity), str(scale), *files, *([frost] if frost else [])],
                              capture_output=True, text=True)
        if done.returncode == 77:
            return None
        if done.returncode:
            raise SystemExit(f"{name}: {done.stderr}")
        return np.load(files[1]).astype(np.float64)


def check(title, ok):
    print(("ok  " if ok else "BAD ") + title)
    if not ok:
        FAILURES.append(title)


# ---------------------------------------------------------------------------------------------------- formulas

def extended(x, radius, mode):
    return np.pad(x, radius, mode={"nearest": "edge", "mirror": "reflect", "reflect": "symmetric"}[mode])


def correlate(x, kernel, mode):
    """A kernel (2 r + 1, 2 r + 1) over one plane."""
    r = kernel.shape[0] // 2
    wide = extended(x, r, mode)
    return sum(kernel[i, j] * wide[i:i + x.shape[0], j:j + x.shape[1]] for i in range(2 * r + 1) for j in range(2 * r + 1) if kernel[i, j])


def gaussian(x, sigma, radius=None, mode="nearest"):
    r = int(4 * sigma + 0.5) if radius is None else radius
    line = np.exp(-0.5 * (np.arange(-r, r + 1) / sigma) ** 2)
    line /= line.sum()
    return correlate(x, np.outer(line, line), mode)


def defocus(x, severity, scale):
    radius, sigma = {224: [(3, .1), (4, .5), (6, .5), (8, .5), (10, .5)], 32: [(.3, .4), (.4, .5), (.5, .6), (1, .2), (1.5, .1)]}[scale][severity - 1]
    reach = np.arange(-8, 9) if radius <= 8 else np.arange(-radius, radius + 1)
    disk = (reach[:, None] ** 2 + reach[None] ** 2 <= radius ** 2).astype(float)
    disk = gaussian(disk / disk.sum(), sigma, 1 if radius <= 8 else 2, "mirror")
    return np.array([correlate(plane, disk, "mirror") for plane in x])


def gaussian_blur(x, severity, scale):
    sigma = {224: [1, 2, 3, 4, 6], 32: [.4, .6, .7, .8, 1]}[scale][severity - 1]
    return np.array([gaussian(plane, sigma) for plane in x])


def enlarged(x, factor):
    h, w = x.shape
    ch, cw = math.ceil(h / factor), math.ceil(w / factor)
    top, left = (h - ch) // 2, (w - cw) // 2
    part = x[top:top + ch, left:left + cw]
    made = round(ch * factor), round(cw * factor)  # halves to even
    rows, columns = np.linspace(0, ch - 1, made[0]), np.linspace(0, cw - 1, made[1])
    part = np.array([np.interp(columns, np.arange(cw), row) for row in part])
    part = np.array([np.interp(rows, np.arange(ch), column) for column in part.T]).T
    top, left = (made[0] - h) // 2, (made[1] - w) // 2
    return part[top:top + h, left:left + w]


def zoom(x, severity, scale):
    factors = {224: [(1.11, .01), (1.16, .01), (1.21, .02), (1.26, .02), (1.31, .03)], 32: [(1.06, .01), (1.11, .01), (1.16, .01), (1.21, .01), (1.26, .01)]}
    end, step = factors[scale][severity - 1]
    factors = np.arange(1, end, step)
    assert len(factors) == {224: [12, 16, 11, 13, 11], 32: [7, 12, 16, 21, 26]}[scale][severity - 1], len(factors)
    return np.array([(plane + sum(enlarged(plane, f) for f in factors)) / (len(factors) + 1) for plane in x])


def to_hsv(x):
    r, g, b = x
    v, low = x.max(0), x.min(0)
    d = v - low
    s = np.where(v > 0, d / np.where(v > 0, v, 1), 0)
    safe = np.where(d > 0, d, 1)
    h = np.where(v == b, 4 + (r - g) / safe, np.where(v == g, 2 + (b - r) / safe, (g - b) / safe))
    return np.where(d > 0, (h / 6) % 1, 0), s, v


def to_rgb(h, s, v):
    i, f = np.floor(h * 6), h * 6 - np.floor(h * 6)
    p, q, t = v * (1 - s), v * (1 - f * s), v * (1 - (1 - f) * s)
    return np.array([np.choose((i % 6).astype(int), rows) for rows in ((v, q, p, p, t, v), (t, v, v, q, p, p), (p, p, t, v, v, q))])


def brightness(x, severity, scale):
    h, s, v = to_hsv(x)
    return to_rgb(h, s, np.clip(v + {224: [.1, .2, .3, .4, .5], 32: [.05, .1, .15, .2, .3]}[scale][severity - 1], 0, 1))


def saturate(x, severity, scale):
    times, more = {224: [(.3, 0), (.1, 0), (2, 0), (5, .1), (20, .2)], 32: [(.3, 0), (.1, 0), (1.5, 0), (2, .1), (2.5, .2)]}[scale][severity - 1]
    h, s, v = to_hsv(x)
    return to_rgb(h, np.clip(s * times + more, 0, 1), v)


def contrast(x, severity, scale):
    c = {224: [.4, .3, .2, .1, .05], 32: [.75, .5, .4, .3, .15]}[scale][severity - 1]
    mean = x.mean((1, 2), keepdims=True)
    return (x - mean) * c + mean


def box(line, size):
    """Pillow's box filter along the last axis, in exact arithmetic."""
    n = line.shape[-1]
    scale = n / size
    reach, out = 0.5 * max(scale, 1), []
    for i in range(size):
        centre = (i + 0.5) * scale
        low, high = max(int(centre - reach + 0.5), 0), min(int(centre + reach + 0.5), n)
        at = (np.arange(low, high) - centre + 0.5) / max(scale, 1)
        weights = ((at > -0.5) & (at <= 0.5)).astype(float)
        out.append((line[..., low:high] * weights).sum(-1) / weights.sum())
    return np.floor(np.stack(out, -1) + 0.5)


def pixelate(x, severity, scale):
    c = {224: [.6, .5, .4, .3, .25], 32: [.95, .9, .85, .75, .65]}[scale][severity - 1]
    resize = lambda x, h, w: np.swapaxes(box(np.swapaxes(box(x, w), 1, 2), h), 1, 2)
    h, w = x.shape[1:]
    return resize(resize(np.rint(x * 255), int(h * c), int(w * c)), h, w) / 255


def formulas():
    rows = [("defocus_blur", defocus), ("gaussian_blur", gaussian_blur), ("zoom_blur", zoom), ("brightness", brightness), ("saturate", saturate),
            ("contrast", contrast), ("pixelate", pixelate)]
    for scale, size in ((224, (56, 48)), (32, (32, 32))):
        x = picture(*size)
        for name, formula in rows:
            for severity in range(1, 6):
                got = ours(name, severity, scale, [x])[0] * 255
                want = np.floor(np.clip(formula(x, severity, scale), 0, 1) * 255)
                # where the formula comes to a whole number, rounding decides
                off = abs(got - want)
                check(f"{name} {severity} of {scale}: {100 * (off > 0.01).mean():.2f} % of the bytes differ, by {off.max():.0f}", off.max() < 1.01 and (off > 0.01).mean() < 0.02)


# --------------------------------------------------------------------------------------------------- statistics

def near(title, got, want, within):
    check(f"{title}: {got:.4f}, wanted {want:.4f}", abs(got - want) <= within)


def noise():
    flat = np.full((4, 3, 64, 64), 128 / 255)  # nothing is clipped at small deviations
    count = flat.size
    for severity, scale, sigma in ((1, 32, .04), (5, 32, .1), (1, 224, .08)):
        x = ours("gaussian_noise", severity, scale, flat) - flat
        near(f"gaussian_noise {severity} of {scale}, deviation", x.std(), math.hypot(sigma, 1 / 255 / math.sqrt(12)), 5 * sigma / math.sqrt(2 * count))
        near("  its mean, cut down by half a byte", x.mean(), -0.5 / 255, 5 * sigma / math.sqrt(count))
        check("  pictures and channels differ", abs(np.corrcoef(x[0, 0].ravel(), x[1, 0].ravel())[0, 1]) < 0.08 and abs(np.corrcoef(x[0, 0].ravel(), x[0, 1].ravel())[0, 1]) < 0.08)
    for severity, scale, photons in ((1, 224, 60), (1, 32, 500), (5, 32, 50)):
        x = ours("shot_noise", severity, scale, np.full_like(flat, 51 / 255))
        near(f"shot_noise {severity} of {scale}, variance", x.var(), 0.2 / photons + 1 / 255 ** 2 / 12, 0.06 * 0.2 / photons + 1e-6)
        near("  its mean", x.mean(), 0.2 - 0.5 / 255, 5 * math.sqrt(0.2 / photons / count) + 0.5 / 255)
    for severity, scale, share in ((1, 224, .03), (5, 224, .27), (5, 32, .07)):
        x = ours("impulse_noise", severity, scale, flat)
        within = 5 * math.sqrt(share / count)
        near(f"impulse_noise {severity} of {scale}, salt", (x == 1).mean(), share / 2, within)
        near("  its pepper", (x == 0).mean(), share / 2, within)
        check("  the rest is as it was", set(np.unique(np.rint(x * 255))) == {0, 128, 255})
    half = np.concatenate([np.full((4, 3, 32, 64), 51 / 255), np.full((4, 3, 32, 64), 102 / 255)], 2)
    x = ours("speckle_noise", 1, 224, half) - half
    near("speckle_noise 1 of 224, deviation in the dark", x[:, :, :32].std(), .15 * .2, .002)
    near("  and twice as much where it is twice as bright", x[:, :, 32:].std(), .15 * .4, .004)


def glass():
    """The published pictures: what NumPy makes of a swap of two pixels of a colour picture, which is a copy."""
    x = np.arange(12).reshape(2, 2, 3)
    x[0, 0], x[1, 1] = x[1, 1], x[0, 0]
    check("a swap of views is a copy", (x[0, 0] == (9, 10, 11)).all() and (x[1, 1] == (9, 10, 11)).all())
    rows, columns = np.mgrid[:64, :64]
    places = np.stack([rows, columns, 0 * rows]) / 255  # every pixel says where it lies
    lost, near_by = [], True
    for seed in range(8):
        draw, kept = np.random.default_rng(seed), np.stack([rows, columns], 2)
        for h in range(64 - 1, 1, -1):
            for w in range(64 - 1, 1, -1):
                dx, dy = draw.integers(-1, 1, size=2)
                kept[h, w], kept[h + dy, w + dx] = kept[h + dy, w + dx], kept[h, w]
        lost.append(1 - len(np.unique(kept.reshape(-1, 2), axis=0)) / 64 ** 2)
    got = np.rint(ours("glass_blur", 1, 32, [places] * 8) * 255).astype(int)  # its blur is no blur
    mine = [1 - len(np.unique(g[:2].reshape(2, -1), axis=1).T) / 64 ** 2 for g in got]
    near("glass_blur 1 of 32, the share of pixels that are lost", np.mean(mine), np.mean(lost), 0.02)
    check(f"  which is not little: {np.mean(lost):.2f}", np.mean(lost) > 0.2)
    far = np.abs(got[:, :2] - np.stack([rows, columns])).max((0, 1))
    check("  what lies at the top and left stays", (far[:2] == 0).all() and (far[:, :2] == 0).all())
    check("  pixels come from above or the left", (got[:, 0] <= rows).all() and (got[:, 1] <= columns).all() and far.max() >= 1)


def moved():
    """Glass moves pixels by few places; motion smears along a line and keeps the mean inside; elastic keeps colours."""
    glass()
    y = np.zeros((3, 64, 64))
    y[:, 30, 20] = 1
    spots = [s[0] for s in ours("glass_blur", 2, 32, [y] * 16) if s.max() > 0]  # blurred by a quarter of a pixel; some lose it
    where = np.array([np.argwhere(s == s.max())[0] for s in spots])
    check(f"  a spot stays near in {len(spots)} of 16", 4 <= len(spots) < 16 and abs(where - (30, 20)).max() <= 8)
    dots = np.zeros((8, 3, 64, 64))
    dots[:, :, 32, 32] = 1
    for severity, scale, radius in ((1, 32, 6), (5, 224, 20)):
        angles = []
        for p in ours("motion_blur", severity, scale, dots):
            rows, columns = np.nonzero(p[0])
            far = np.hypot(rows - 32, columns - 32).max()
            angles.append(math.degrees(math.atan2(*(np.array([rows, columns]).mean(1) - 32))))
            check(f"motion_blur {severity} of {scale}: a dot becomes a line of {far:.1f} pixels", far <= 2 * radius + 1 and len(rows) >= 2)
        folded = [abs((a + 90) % 180 - 90) for a in angles]
        check(f"  along {', '.join(f'{a:.0f}' for a in angles)} degrees", max(folded) <= 50 and np.std(angles) > 5)
    flat = np.full((1, 3, 64, 64), 100 / 255)
    for name in ("motion_blur", "zoom_blur", "elastic_transform", "defocus_blur", "gaussian_blur"):
        check(f"{name} leaves a flat picture as it is", abs(ours(name, 3, 224, flat) - flat).max() <= 1.01 / 255)
    for severity in range(1, 6):
        got = ours("elastic_transform", severity, 32, [picture(32, 32)])[0]
        check(f"elastic_transform {severity} moves and keeps the range", 0.005 < abs(got - picture(32, 32)).mean() < 0.3)


def weather():
    grey = np.full((2, 3, 64, 64), 76 / 255)
    before = 0
    for severity in range(1, 6):
        x = ours("snow", severity, 224, grey)
        check(f"snow {severity} of 224 is white and brightens: {x.mean():.3f}", abs(x[:, 0] - x[:, 1]).max() == 0 and x.mean() > grey.mean() and x.min() >= grey.min() - 1 / 255)
    x = ours("snow", 1, 32, grey)
    near("snow 1 of 32 away from the flakes", np.median(x), math.floor(255 * (.95 * 76 / 255 + .05 * max(76 / 255, 1.5 * 76 / 255 + .5))) / 255, 1.01 / 255)
    fallen = ours("snow", 1, 32, np.zeros((1, 3, 64, 64)))[0, 0] - math.floor(.05 * .5 * 255) / 255
    check("  it and its half turn fell", abs(fallen - fallen[::-1, ::-1]).max() <= 1.01 / 255 and fallen.max() > 0.05)
    steps = np.zeros((1, 3, 64, 64))
    steps[:, :, :, 32:] = 1
    for severity, (c, decay) in enumerate([(1.5, 2), (2, 2), (2.5, 1.7), (2.5, 1.5), (3, 1.4)], 1):
        x = ours("fog", severity, 224, steps)[0]
        dark, light = x[:, :, :32], x[:, :, 32:]
        check(f"fog {severity}: x' = (x + c f) / (1 + c), f in 0..1", dark.min() >= 0 and dark.max() <= c / (1 + c) and light.min() >= 1 / (1 + c) - 1 / 255 and light.max() <= 1
              and abs(x[0] - x[1]).max() == 0)
        rough = abs(np.diff(dark[0], axis=1)).mean()
        if severity in (3, 5):
            check(f"  rougher than before: {rough:.4f}", rough > before)
        before = rough
    whole = ours("fog", 1, 224, np.zeros((1, 3, 256, 256)) + np.array([1.0, 0, 0]).reshape(1, 3, 1, 1))[0, 1] * 2.5 / 1.5
    near("  over a whole torus it reaches from 0", whole.min(), 0, 0.02)
    near("  to 1", whole.max(), 1, 0.02)
    jump = abs(whole[:, 0] - whole[:, -1]).mean() / abs(whole[:, 100] - whole[:, 101]).mean()
    check(f"  and wraps around: {jump:.2f}", 0.5 < jump < 2)
    x = ours("frost", 1, 224, grey)
    check("frost without pictures adds", (x >= grey - 1e-6).all() and 0.01 < (x - grey).mean() < 0.4 and x[0].tolist() != x[1].tolist())


def frost_pictures():
    with tempfile.TemporaryDirectory() as folder:
        for i in range(6):  # the sixth is never drawn
            with open(os.path.join(folder, f"frost{i}.ppm"), "wb") as file:
                file.write(b"P6 300 290 255\n" + bytes([40 * i + 10] * (300 * 290 * 3)))
        zero = np.zeros((40, 3, 64, 64))
        x = ours("frost", 3, 224, zero, folder)
        seen = {int(v) for v in np.unique(np.rint(x * 255))}
        want = {int(.7 * (40 * i + 10)) for i in range(5)}
        check(f"frost of a folder is b times one of five pictures: {sorted(seen)}", len(seen) == 5 and all(abs(a - b) <= 1 for a, b in zip(sorted(seen), sorted(want))))
        x = ours("frost", 3, 32, np.full((2, 3, 32, 32), 100 / 255), folder)
        check("  and a times the picture", all(min(abs(v - 90 - .4 * (40 * i + 10)) for i in range(5)) <= 1.01 for v in np.unique(x * 255)))


def frost_of_small_inputs():
    """OpenCV's resizing by a fifth takes one pixel of five by five, the middle one, and no mean."""
    with tempfile.TemporaryDirectory() as folder:
        ice = np.zeros((300, 400, 3), np.uint8)
        ice[2::5, 2::5] = 10 + np.arange(60 * 80).reshape(60, 80, 1) % 200
        with open(os.path.join(folder, "frost.ppm"), "wb") as file:
            file.write(b"P6 400 300 255\n" + ice.tobytes())
        x = np.rint(ours("frost", 3, 32, np.zeros((1, 3, 32, 32)), folder)[0] * 255)
        whole = np.floor(.4 * ice[2::5, 2::5, 0])
        parts = np.lib.stride_tricks.sliding_window_view(whole, (32, 32))
        check("frost of 32 is a part of every fifth pixel of the picture", any(abs(x - part).max() <= 1 for row in parts for part in row))


def jpeg():
    x = picture(64, 64)
    errors = []
    for scale in (32, 224):
        for severity in range(1, 6):
            got = ours("jpeg_compression", severity, scale, [x])
            if got is None:
                print("this build has no libjpeg")
                return
            errors.append(((got[0] - x) ** 2).mean())
    check(f"jpeg_compression loses more at each severity: {', '.join(f'{e:.5f}' for e in errors)}", all(a < b for a, b in zip(errors, errors[1:])) and errors[0] < 0.02)


def grey():
    names = ["gaussian_noise", "defocus_blur", "glass_blur", "motion_blur", "zoom_blur", "snow", "frost", "fog", "brightness", "contrast", "elastic_transform", "pixelate", "saturate"]
    x = picture(28, 28, 1)
    for name in names:
        got = ours(name, 3, 32, [x])
        check(f"{name} of grey pictures", got.shape == (1, 1, 28, 28) and np.isfinite(got).all() and (name == "saturate") == bool(abs(got - x).max() < 1e-6))


def main():
    formulas()
    noise()
    moved()
    weather()
    frost_pictures()
    frost_of_small_inputs()
    jpeg()
    grey()
    print(f"{len(FAILURES)} failures" + "".join("\n  " + f for f in FAILURES))
    sys.exit(1 if FAILURES else 0)


main()
