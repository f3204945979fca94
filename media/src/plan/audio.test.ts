import { describe, expect, it } from 'vitest'
import { anAudio } from '../../testing/probes.ts'
import { planAudio } from './audio.ts'

describe('planAudio', () => {
  it('is the default one', () => {
    const streams = [anAudio({ streamIndex: 1 }), anAudio({ streamIndex: 2, isDefault: true })]
    expect(planAudio(streams)?.streamIndex).toBe(2)
  })

  it('is the first one if none is the default', () => {
    expect(planAudio([anAudio({ streamIndex: 3 }), anAudio({ streamIndex: 4 })])?.streamIndex).toBe(
      3,
    )
  })

  it('is none that cannot be heard, default or not', () => {
    const silent = anAudio({ streamIndex: 1, isDefault: true, channels: 0 })
    const strange = anAudio({ streamIndex: 2, isDefault: true, codec: 'unknown' })
    expect(planAudio([silent, strange])).toBeNull()
    expect(planAudio([silent, strange, anAudio({ streamIndex: 3 })])?.streamIndex).toBe(3)
  })

  it('is null where there is no sound', () => {
    expect(planAudio([])).toBeNull()
  })

  it.each([2, 6])('%d channels are made stereo', (channels) => {
    expect(planAudio([anAudio({ channels, sampleRate: 8000 })])).toEqual({
      streamIndex: 1,
      bitrate: 128_000,
      sampleRate: 48_000,
      channels: 2,
    })
  })

  it('one channel is made stereo, and known to have been one', () => {
    expect(planAudio([anAudio({ channels: 1 })])).toMatchObject({ channels: 2, isFromMono: true })
  })

  it('keeps its language', () => {
    expect(planAudio([anAudio({ language: 'de' })])).toMatchObject({ language: 'de' })
  })
})
