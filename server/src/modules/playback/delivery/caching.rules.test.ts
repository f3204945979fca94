import { describe, expect, it } from 'vitest'
import { manifestCaching, mediaFileCaching } from './caching.rules.ts'

const YEAR = 31_536_000

describe('a media file', () => {
  it('is cached privately until the playback token expires', () => {
    expect(mediaFileCaching(90)).toEqual({ 'Cache-Control': 'private, max-age=90, immutable' })
  })

  it('is cached publicly under `open`', () => {
    expect(mediaFileCaching(null)['Cache-Control']).toBe(`public, max-age=${YEAR}, immutable`)
  })
})

describe('a manifest', () => {
  it('is cached for seconds while it grows and for a minute afterwards', () => {
    expect(manifestCaching(null, true)).toEqual({ 'Cache-Control': 'public, max-age=2' })
    expect(manifestCaching(3600, false)['Cache-Control']).toBe('private, max-age=60')
  })

  it('is not cached longer than the playback token is valid', () => {
    expect(manifestCaching(7, false)['Cache-Control']).toBe('private, max-age=7')
    expect(manifestCaching(0, true)['Cache-Control']).toBe('private, max-age=0')
  })
})
