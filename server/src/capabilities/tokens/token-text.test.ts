import { describe, expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { hashOfToken, newTokenText, organizationInToken } from './token-text.ts'

const organization = 'acme42' as OrganizationId

/** Changes the character at a place to another one of the same alphabet. */
function misspelt(text: string, place: number): string {
  const other = text.charAt(place) === 'a' ? 'b' : 'a'
  return text.slice(0, place) + other + text.slice(place + 1)
}

describe('newTokenText', () => {
  it('has a prefix for scanners, the organization, 190 random bits and a checksum', () => {
    expect(newTokenText(organization)).toMatch(/^rk_acme42_[0-9A-Za-z]{38}$/)
  })

  it('never makes the same one twice', () => {
    const texts = Array.from({ length: 1000 }, () => newTokenText(organization))
    expect(new Set(texts).size).toBe(1000)
  })

  it('uses every letter of its alphabet about equally often', () => {
    const secrets = Array.from({ length: 2000 }, () => newTokenText(organization).slice(10, 42))
    const counts = Map.groupBy(secrets.join(''), (letter) => letter)
    expect(counts.size).toBe(62)
    const expected = (2000 * 32) / 62
    for (const letters of counts.values()) {
      // Five standard deviations: a bias of a sixth would show, chance does not.
      expect(Math.abs(letters.length - expected)).toBeLessThan(5 * Math.sqrt(expected))
    }
  })
})

describe('organizationInToken', () => {
  it('reads the organization from a whole token, at either length of its id', () => {
    for (const id of ['abc123', 'abcdef123456'] as OrganizationId[]) {
      expect(organizationInToken(newTokenText(id))).toBe(id)
    }
  })

  it('refuses a token with any single character misspelt', () => {
    const text = newTokenText(organization)
    for (let place = 0; place < text.length; place++) {
      expect(organizationInToken(misspelt(text, place)), `character ${place}`).toBeUndefined()
    }
  })

  it('refuses a token with two neighbouring characters swapped', () => {
    const text = newTokenText(organization)
    for (let place = 10; place < text.length - 1; place++) {
      const [first, second] = [text.charAt(place), text.charAt(place + 1)]
      if (first === second) continue
      const swapped = text.slice(0, place) + second + first + text.slice(place + 2)
      expect(organizationInToken(swapped), `characters ${place}`).toBeUndefined()
    }
  })

  it.each([
    ['nothing', ''],
    ['another prefix', 'sk_acme42_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['no organization', 'rk__AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['a wrong checksum', 'rk_acme42_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['words', 'let me in please'],
  ])('refuses %s', (_, text) => {
    expect(organizationInToken(text)).toBeUndefined()
  })

  it('refuses a whole token with anything before or after it', () => {
    const text = newTokenText(organization)
    for (const junk of [`${text}A`, `A${text}`, `${text}\n`, ` ${text}`]) {
      expect(organizationInToken(junk)).toBeUndefined()
    }
  })
})

describe('hashOfToken', () => {
  it('is SHA-256 of the whole text', () => {
    expect(hashOfToken('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })
})
