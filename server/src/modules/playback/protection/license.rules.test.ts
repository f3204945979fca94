import { describe, expect, it } from 'vitest'
import { licenseFor, requestedKids } from './license.rules.ts'

const keyOf = (label: 'video' | 'audio', filling: number) => ({
  label,
  kid: Buffer.alloc(16, filling),
  key: Buffer.alloc(16, filling + 1),
  iv: Buffer.alloc(16, filling + 2),
})
const keys = [keyOf('video', 0xfa), keyOf('audio', 0x10)]
const [video, audio] = ['-vr6-vr6-vr6-vr6-vr6-g', 'EBAQEBAQEBAQEBAQEBAQEA']

describe('a license', () => {
  it('contains the requested keys in the W3C format', () => {
    expect(licenseFor(keys, [video])).toEqual({
      keys: [{ kty: 'oct', kid: video, k: '-_v7-_v7-_v7-_v7-_v7-w' }],
      type: 'temporary',
    })
    expect(licenseFor(keys, [audio, video, audio]).keys.map(({ kid }) => kid)).toEqual([video, audio])
    expect(licenseFor(keys, [`${audio}==`]).keys).toHaveLength(1)
  })

  it('contains no key of another video', () => {
    expect(licenseFor(keys, ['AAAAAAAAAAAAAAAAAAAAAA', '', '*']).keys).toEqual([])
  })
})

describe('a license request', () => {
  const parse = (body: unknown) => requestedKids(Buffer.from(JSON.stringify(body)))

  it('is a list of key ids; other fields are ignored', () => {
    expect(parse({ kids: [video], type: 'temporary' })).toEqual([video])
  })

  it.each([{ kids: [] }, { kids: Array(33).fill(video) }, { kids: [7] }, { kids: video }, {}, null, [], 'kids'])(
    'rejects %j',
    (body) => {
      expect(() => parse(body)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
    },
  )

  it('rejects a body that is not JSON', () => {
    expect(() => requestedKids(Buffer.from('kids'))).toThrow(expect.objectContaining({ code: 'malformed_json' }))
  })
})
