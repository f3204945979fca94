import { organization as contract } from '@reelkeep/contract'
import { describe, expect, it } from 'vitest'
import { cleanOrigins } from './organizations.rules.ts'

const { EMBED_ORIGINS_MAX } = contract

describe('cleanOrigins', () => {
  it('deduplicates and lower-cases origins', () => {
    const given = ['https://WWW.example.com', ' https://www.example.com ', 'http://127.0.0.1:8080']
    expect(cleanOrigins(given)).toEqual(['https://www.example.com', 'http://127.0.0.1:8080'])
    expect(cleanOrigins(['https://*.example.com'])).toEqual(['https://*.example.com'])
    expect(cleanOrigins([])).toEqual([])
  })

  it.each([
    '*',
    'example.com',
    'https://example.com/',
    'https://example.com/path',
    "https://example.com; script-src 'unsafe-inline'",
    'https://a.example https://b.example',
    'https://*',
    'javascript:alert(1)',
    'https://exa\nmple.com',
    '',
    `https://${'a'.repeat(260)}.example`,
  ])('refuses %j', (origin) => {
    expect(() => cleanOrigins([origin])).toThrow()
  })

  it('refuses more than 50 origins', () => {
    const many = Array.from({ length: EMBED_ORIGINS_MAX + 1 }, (_, index) => `https://${index}.example`)
    expect(cleanOrigins(many.slice(1))).toHaveLength(EMBED_ORIGINS_MAX)
    expect(() => cleanOrigins(many)).toThrow('At most 50')
  })
})
