import { describe, expect, it } from 'vitest'
import { codeOfStep, fromBase32, newTotpSecret, stepOfCode, totpUri } from './totp.ts'

const secret = Buffer.from('12345678901234567890')

describe('a one-time code', () => {
  // The last six digits of the test vectors in RFC 6238, appendix B.
  it.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('at second %i is %s', (second, code) => {
    expect(codeOfStep(secret, Math.floor(second / 30))).toBe(code)
  })

  it('is accepted one step early and one step late, and not two', () => {
    const code = codeOfStep(secret, 1000)
    const at = (step: number) => stepOfCode(secret, code, step * 30_000)
    expect([998, 999, 1000, 1001, 1002].map(at)).toEqual([undefined, 1000, 1000, 1000, undefined])
  })

  it('has six digits', () => {
    expect(stepOfCode(secret, '', 60_000)).toBeUndefined()
    expect(stepOfCode(secret, `${codeOfStep(secret, 2)}0`, 60_000)).toBeUndefined()
  })
})

describe('the secret of one-time codes', () => {
  it('has 160 random bits in base32', () => {
    const text = newTotpSecret()
    expect(text).toMatch(/^[A-Z2-7]{32}$/)
    expect(fromBase32(text)).toHaveLength(20)
    expect(newTotpSecret()).not.toBe(text)
  })

  it('is decoded as RFC 4648 says', () => {
    expect(fromBase32('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')).toEqual(secret)
    expect(fromBase32('gezdgnbvgy3tqojq')).toBeUndefined()
  })

  it('is shown as a URI that authenticator apps read', () => {
    expect(totpUri('ABC', { account: 'ann@example.org', issuer: 'Reel keep' })).toBe(
      'otpauth://totp/Reel%20keep:ann%40example.org?secret=ABC&issuer=Reel%20keep',
    )
  })
})
