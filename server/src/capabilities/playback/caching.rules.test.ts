import { describe, expect, it } from 'vitest'
import { manifestCaching, pieceCaching } from './caching.rules.ts'

const YEAR = 31_536_000

describe('a piece', () => {
  it('is kept by its viewer until the pass ends, and nobody is told anything else', () => {
    expect(pieceCaching(90)).toEqual({ 'Cache-Control': 'private, max-age=90, immutable' })
  })

  it('is kept by everybody under open', () => {
    expect(pieceCaching(null)['Cache-Control']).toBe(`public, max-age=${YEAR}, immutable`)
  })
})

describe('a manifest', () => {
  it('is kept for a moment while it grows, and for a minute when it does not', () => {
    expect(manifestCaching(null, true)).toEqual({ 'Cache-Control': 'public, max-age=2' })
    expect(manifestCaching(3600, false)['Cache-Control']).toBe('private, max-age=60')
  })

  it('is not kept longer than the pass lasts', () => {
    expect(manifestCaching(7, false)['Cache-Control']).toBe('private, max-age=7')
    expect(manifestCaching(0, true)['Cache-Control']).toBe('private, max-age=0')
  })
})
