import { createSecretKey, hkdfSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deriveAesKeys } from './aes-keys.ts'
import { deriveFrom } from './derivation.ts'
import { deriveDrmKeys } from './drm-keys.ts'

const bytes = (hex: string) => Buffer.from(hex, 'hex')

describe('deriveFrom', () => {
  it.each([
    // First blocks of test cases A.1 and A.3 of RFC 5869.
    [
      '0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b',
      '000102030405060708090a0b0c',
      'f0f1f2f3f4f5f6f7f8f9',
      '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf',
    ],
    [
      '0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b',
      '',
      '',
      '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d',
    ],
  ])('returns the test vectors of RFC 5869', (key, salt, purpose, expected) => {
    const derive = deriveFrom(createSecretKey(bytes(key)), bytes(salt))
    expect(derive(bytes(purpose), 32).toString('hex')).toBe(expected)
  })

  it("returns the same bytes as Node's HKDF with SHA-256", () => {
    const one = fc.record({
      master: fc.uint8Array({ minLength: 32, maxLength: 32 }),
      salt: fc.uuid(),
      purpose: fc.string({ unit: 'binary', maxLength: 200 }),
      length: fc.integer({ min: 1, max: 32 }),
    })
    fc.assert(
      fc.property(one, ({ master, salt, purpose, length }) => {
        const derived = deriveFrom(createSecretKey(master), salt)(purpose, length)
        expect(derived).toEqual(Buffer.from(hkdfSync('sha256', master, salt, purpose, length)))
      }),
    )
  })

  it('rejects a request for more than one block', () => {
    expect(() => deriveFrom(createSecretKey(bytes('00')), 'x')('x', 33)).toThrow(RangeError)
  })
})

/** A change of the derived keys would make every protected video unplayable. */
describe('the keys of a video', () => {
  const asset = '01890a5d-ac96-774b-bcce-b302099a8057'
  const derive = deriveFrom(createSecretKey(Buffer.alloc(32, 7)), asset)

  it('are the same in every release for AES', () => {
    const keys = deriveAesKeys(derive)
    expect(keys.keyOf(0).toString('hex')).toBe('56009ea622b29ae088ae21d0320db6fa')
    expect(keys.keyOf(29).toString('hex')).toBe('8e910aacd9101970da0040878874dd32')
    expect(keys.ivOf(`acme12/${asset}/video-encode-1/240p/00000.m4s`).toString('hex')).toBe(
      'f01e403582de8229aea799e041f26b44',
    )
  })

  it('differ after every fifteenth segment for AES', () => {
    const keys = deriveAesKeys(derive)
    expect([0, 14, 15, 29, 30].map(keys.periodOf)).toEqual([0, 0, 1, 1, 2])
    expect(keys.keyOf(14)).toEqual(keys.keyOfPeriod(0))
    expect(keys.keyOf(15)).toEqual(keys.keyOfPeriod(1))
    expect(keys.keyOf(15)).not.toEqual(keys.keyOf(14))
  })

  it('are the same in every release for DRM, for video and audio', () => {
    const { keys } = deriveDrmKeys(derive)
    const texts = keys.map(({ label, ...key }) => [
      label,
      ...[key.kid, key.key, key.iv].map((one) => one.toString('hex')),
    ])
    expect(texts).toEqual([
      [
        'video',
        'd76661fd10e08b063bbe1c02d1c4ee68',
        'f06e56015890dcdabed9680f80d6d4a5',
        'a46e01a7a56ba3e4e5dd0b4ab67fd534',
      ],
      [
        'audio',
        '82a8fdc4f0a8f96663980dea4e95f2fd',
        '9631a720023ed15f6800a9739cbc7e48',
        'b10fa425e5c25c3cd6bc684083fa5356',
      ],
    ])
  })
})
