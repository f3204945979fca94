import { describe, expect, it } from 'vitest'
import { anAudio, aProbe, type VideoChanges } from '../../testing/probes.ts'
import { planPicture } from './picture.ts'

const planned = (video: VideoChanges) => planPicture(aProbe({ video }))

describe('planPicture', () => {
  it.each([
    [{ colourSpace: 'bt709' }, 'auto'],
    [{ colourSpace: 'smpte170m', width: 1920, height: 1080 }, 'auto'],
    [{ colourSpace: 'unknown', width: 1920, height: 1080 }, 'bt709'],
    [{ width: 1920, height: 1080 }, 'bt709'],
    [{ width: 1280, height: 720 }, 'bt709'],
    // The black bars of a wide film were cut off.
    [{ width: 1280, height: 536 }, 'bt709'],
    [{ width: 720, height: 1280 }, 'bt709'],
    [{ width: 854, height: 480 }, 'bt601'],
    [{ width: 480, height: 854 }, 'bt601'],
    [{ width: 1024, height: 576 }, 'bt601'],
  ] as const)('%j is read by %s', (video, inputMatrix) => {
    expect(planned(video).inputMatrix).toBe(inputMatrix)
  })

  it.each([
    [{ dynamicRange: 'hdr10', colourTransfer: 'smpte2084' }, true],
    [{ dynamicRange: 'hlg', colourTransfer: 'arib-std-b67' }, true],
    [{ dynamicRange: 'dolby_vision', colourTransfer: 'smpte2084' }, true],
    [{ dynamicRange: 'dolby_vision', colourTransfer: 'bt709' }, false],
    [{ dynamicRange: 'dolby_vision' }, false],
    [{ dynamicRange: 'sdr', colourTransfer: 'bt709' }, false],
    [{ dynamicRange: 'sdr' }, false],
  ] as const)('%j: tone-mapped %s', (video, isToneMapped) => {
    expect(planned(video).isToneMapped).toBe(isToneMapped)
  })

  it('deinterlaces what is interlaced', () => {
    expect(planned({ isInterlaced: true }).isDeinterlaced).toBe(true)
    expect(planned({ isInterlaced: false }).isDeinterlaced).toBe(false)
  })

  it.each([
    [0, 0, undefined],
    [1.4, 1.4, undefined],
    [1.5, 1.25, 0.25],
    [0, -0.25, 0.25],
    // The sound comes later, which is its own affair.
    [0, 0.75, undefined],
  ])('a picture at %d with sound at %d', (video, audio, startSeconds) => {
    const probe = aProbe({
      ...{ video: { startSeconds: video }, audio: [anAudio({ startSeconds: audio })] },
    })
    expect(planPicture(probe).startSeconds).toBe(startSeconds)
  })
})
