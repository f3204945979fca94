import { describe, expect, it } from 'vitest'
import { anAudio } from '../../testing/probes.ts'
import { planAudio } from './audio.ts'

describe('planAudio', () => {
  it('uses the default audio stream', () => {
    const streams = [anAudio({ streamIndex: 1 }), anAudio({ streamIndex: 2, isDefault: true })]
    expect(planAudio(streams)?.streamIndex).toBe(2)
  })

  it('uses the first audio stream if none is the default', () => {
    expect(planAudio([anAudio({ streamIndex: 3 }), anAudio({ streamIndex: 4 })])?.streamIndex).toBe(3)
  })

  it('skips streams without channels or with an unknown codec, even if they are the default', () => {
    const silent = anAudio({ streamIndex: 1, isDefault: true, channels: 0 })
    const unknown = anAudio({ streamIndex: 2, isDefault: true, codec: 'unknown' })
    expect(planAudio([silent, unknown])).toBeNull()
    expect(planAudio([silent, unknown, anAudio({ streamIndex: 3 })])?.streamIndex).toBe(3)
  })

  it('returns null for a file without audio', () => {
    expect(planAudio([])).toBeNull()
  })

  it.each([2, 6])('encodes %d channels as stereo', (channels) => {
    expect(planAudio([anAudio({ channels, sampleRate: 8000 })])).toEqual({
      streamIndex: 1,
      bitrate: 128_000,
      sampleRate: 48_000,
      channels: 2,
    })
  })

  it('encodes mono as stereo, and records that the source is mono', () => {
    expect(planAudio([anAudio({ channels: 1 })])).toMatchObject({ channels: 2, isFromMono: true })
  })

  it('keeps the language of the audio stream', () => {
    expect(planAudio([anAudio({ language: 'de' })])).toMatchObject({ language: 'de' })
  })
})
