"""The checksum of a stored result, for tests that change what a store holds."""

MASK = (1 << 64) - 1
FIRST, SECOND = 0x87C37B91114253D5, 0x4CF5AD432745937F


def rotated(word, bits):
    return (word << bits | word >> (64 - bits)) & MASK


def mixed_first(word):
    return rotated(word * FIRST & MASK, 31) * SECOND & MASK


def mixed_second(word):
    return rotated(word * SECOND & MASK, 33) * FIRST & MASK


def finished(value):
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD & MASK
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & MASK
    return value ^ value >> 33


def checksum(text):
    """32 hex digits of the text's UTF-8 bytes: MurmurHash3_x64_128 with seed 0, as harness/base/bulk_hash.h."""
    data = text.encode()
    first = second = 0
    whole = len(data) // 16 * 16
    for at in range(0, whole, 16):
        first ^= mixed_first(int.from_bytes(data[at:at + 8], "little"))
        first = ((rotated(first, 27) + second) * 5 + 0x52DCE729) & MASK
        second ^= mixed_second(int.from_bytes(data[at + 8:at + 16], "little"))
        second = ((rotated(second, 31) + first) * 5 + 0x38495AB5) & MASK
    second ^= mixed_second(int.from_bytes(data[whole + 8:], "little"))
    first ^= mixed_first(int.from_bytes(data[whole:whole + 8], "little"))
    first, second = first ^ len(data), second ^ len(data)
    first = (first + second) & MASK
    second = (second + first) & MASK
    first, second = finished(first), finished(second)
    first = (first + second) & MASK
    return f"{first:016x}{(second + first) & MASK:016x}"
