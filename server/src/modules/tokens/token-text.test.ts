import { describe, expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { hashOfToken, isUploadToken, newTokenText, newUploadTokenText, organizationInToken } from './token-text.ts'

const organization = 'acme42' as OrganizationId

/** Replaces one character by another of the same alphabet. */
function misspelt(text: string, index: number): string {
  const other = text.charAt(index) === 'a' ? 'b' : 'a'
  return text.slice(0, index) + other + text.slice(index + 1)
}

describe('newTokenText', () => {
  it('returns a prefix, the organization, 190 random bits and a checksum', () => {
    expect(newTokenText(organization)).toMatch(/^rlk_acme42_[0-9A-Za-z]{38}$/)
  })

  it('returns a different token each time', () => {
    const texts = Array.from({ length: 1000 }, () => newTokenText(organization))
    expect(new Set(texts).size).toBe(1000)
  })

  it('uses every character of its alphabet about equally often', () => {
    const secrets = Array.from({ length: 2000 }, () => newTokenText(organization).slice(11, 43))
    const counts = Map.groupBy(secrets.join(''), (letter) => letter)
    expect(counts.size).toBe(62)
    const expected = (2000 * 32) / 62
    for (const letters of counts.values()) {
      // Five standard deviations: detects a bias of a sixth, and does not fail by chance.
      expect(Math.abs(letters.length - expected)).toBeLessThan(5 * Math.sqrt(expected))
    }
  })
})

describe('newUploadTokenText', () => {
  it('returns a token of the same form with a prefix of its own', () => {
    const text = newUploadTokenText(organization)
    expect(text).toMatch(/^rlku_acme42_[0-9A-Za-z]{38}$/)
    expect(organizationInToken(text)).toBe(organization)
    expect([isUploadToken(text), isUploadToken(newTokenText(organization))]).toEqual([true, false])
  })

  it('does not become an API token by a change of its prefix', () => {
    expect(organizationInToken(newUploadTokenText(organization).replace('rlku_', 'rlk_'))).toBeUndefined()
  })
})

describe('organizationInToken', () => {
  it('reads the organization from a token, for the shortest and the longest id', () => {
    for (const id of ['abc123', 'abcdef123456'] as OrganizationId[]) {
      expect(organizationInToken(newTokenText(id))).toBe(id)
    }
  })

  it('rejects a token with any single character misspelt', () => {
    const text = newTokenText(organization)
    for (let index = 0; index < text.length; index++) {
      expect(organizationInToken(misspelt(text, index)), `character ${index}`).toBeUndefined()
    }
  })

  it('rejects a token with two adjacent characters swapped', () => {
    const text = newTokenText(organization)
    for (let index = 11; index < text.length - 1; index++) {
      const [first, second] = [text.charAt(index), text.charAt(index + 1)]
      if (first === second) continue
      const swapped = text.slice(0, index) + second + first + text.slice(index + 2)
      expect(organizationInToken(swapped), `characters ${index}`).toBeUndefined()
    }
  })

  it.each([
    ['nothing', ''],
    ['another prefix', 'sk_acme42_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['no organization', 'rlk__AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['a wrong checksum', 'rlk_acme42_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['words', 'let me in please'],
  ])('rejects %s', (_, text) => {
    expect(organizationInToken(text)).toBeUndefined()
  })

  it('rejects a token with extra characters before or after it', () => {
    const text = newTokenText(organization)
    for (const junk of [`${text}A`, `A${text}`, `${text}\n`, ` ${text}`]) {
      expect(organizationInToken(junk)).toBeUndefined()
    }
  })
})

describe('hashOfToken', () => {
  it('returns the SHA-256 of the whole text', () => {
    expect(hashOfToken('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})
