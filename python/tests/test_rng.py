"""The streams are those of C++; tests/base/lane_rng_test.cpp holds batches against single ones."""
import numpy as np
import penumbra as pn
import pytest


def philox(key, counter):
    """Philox 4x32 with seven rounds in plain integers, to judge by."""
    c, k, mask = list(counter), list(key), 0xFFFFFFFF
    for _ in range(7):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & mask, (a >> 32) ^ c[3] ^ k[1], a & mask]
        k = [(k[0] + 0x9E3779B9) & mask, (k[1] + 0xBB67AE85) & mask]
    return c


def mix(x):
    m = (1 << 64) - 1
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & m
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & m
    return x ^ (x >> 31)


def key_of(seed):
    golden = 0x9E3779B97F4A7C15
    return mix(golden ^ mix((seed + golden) & ((1 << 64) - 1)))


def test_bits_against_plain_integers():
    rng = pn.Rng(7, 1000, first=2**33 - 500)
    key = key_of(7)
    words = [rng.bits() for _ in range(10)]
    for lane in range(0, 1000, 7):
        number = 2**33 - 500 + lane
        for block in range(2):
            counter = (number & 0xFFFFFFFF, number >> 32, block, 0)
            expected = philox((key & 0xFFFFFFFF, key >> 32), counter)
            assert [int(w[lane]) for w in words[4 * block : 4 * block + 4]] == expected


def test_methods_take_one_draw_each():
    bits = [pn.Rng(3, 50).bits(each=5)[:, i] for i in range(5)]
    rng = pn.Rng(3, 50)
    assert np.array_equal(rng.uniform(), bits[0] * 2.0**-32)
    assert np.array_equal(rng.uniform32(), (bits[1] >> 8).astype("f4") * np.float32(2.0**-24))
    assert np.array_equal(rng.below(10), bits[2].astype("u8") * 10 >> 32)
    assert np.array_equal(rng.bernoulli(0.3), bits[3] * 2.0**-32 < 0.3)
    rng.normal()
    assert rng.position == 5


def test_arguments_per_lane():
    low = np.arange(4.0)
    values = pn.Rng(1, 4).uniform(low, low + 1)
    assert ((values >= low) & (values < low + 1)).all()
    assert (pn.Rng(1, 4).normal(100 * low, 0) == 100 * low).all()
    assert (pn.Rng(1, 3).below(np.array([1, 2, 3])) < [1, 2, 3]).all()
    chosen = pn.Rng(1, 3).categorical([[0, 1, 0], [1, 0, 0], [0, 0, 2]])
    assert chosen.tolist() == [1, 0, 2]
    with pytest.raises(pn.Error, match="3 numbers, there are 4 lanes"):
        pn.Rng(1, 4).uniform(np.zeros(3), 1)


def test_size_is_refused():
    with pytest.raises(TypeError, match="each=k"):
        pn.Rng(1, 4).normal(size=3)
    with pytest.raises(TypeError, match="no argument 'scale'"):
        pn.Rng(1, 4).normal(scale=3)


def test_each_at_and_skip():
    assert pn.Rng(1, 4).normal(each=3).shape == (4, 3)
    whole = pn.Rng(1, 6)
    whole.skip(2)
    part = whole.at([4, 1])
    masked = whole.at(np.array([False, True, False, False, True, False]))
    expected = whole.uniform()
    assert part.uniform().tolist() == expected[[4, 1]].tolist()
    assert masked.uniform().tolist() == expected[[1, 4]].tolist()
    with pytest.raises(pn.Error, match="out of range"):
        whole.at([6])


def test_moments():
    rng = pn.Rng(5, 200_000)
    z = rng.normal()
    assert abs(z.mean()) < 0.01 and abs(z.std() - 1) < 0.01
    assert abs(rng.uniform().mean() - 0.5) < 0.005
    assert rng.seeds().dtype == np.uint64
    assert len(np.unique(rng.seeds())) == 200_000


def test_fold_gives_unrelated_streams():
    a, b = pn.Rng(1, 1000).fold("a").uniform(), pn.Rng(1, 1000).fold("b").uniform()
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.15
    assert np.array_equal(a, pn.Rng(1, 1000).fold("a").uniform())
