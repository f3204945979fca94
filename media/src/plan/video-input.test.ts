import { describe, expect, it } from 'vitest'
import { anAudio, aProbe, type VideoChanges } from '../../testing/probes.ts'
import { planVideoInput } from './video-input.ts'

const planned = (video: VideoChanges) => planVideoInput(aProbe({ video }))

describe('planVideoInput', () => {
  it.each([
    [{ colourSpace: 'bt709' }, 'auto'],
    [{ colourSpace: 'smpte170m', width: 1920, height: 1080 }, 'auto'],
    [{ colourSpace: 'unknown', width: 1920, height: 1080 }, 'bt709'],
    [{ width: 1920, height: 1080 }, 'bt709'],
    [{ width: 1280, height: 720 }, 'bt709'],
    // The letterbox bars of this video were cropped.
    [{ width: 1280, height: 536 }, 'bt709'],
    [{ width: 720, height: 1280 }, 'bt709'],
    [{ width: 854, height: 480 }, 'bt601'],
    [{ width: 480, height: 854 }, 'bt601'],
    [{ width: 1024, height: 576 }, 'bt601'],
  ] as const)('reads %j with the color matrix %s', (video, inputMatrix) => {
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
  ] as const)('sets tone mapping of %j to %s', (video, isToneMapped) => {
    expect(planned(video).isToneMapped).toBe(isToneMapped)
  })

  it('deinterlaces interlaced video', () => {
    expect(planned({ isInterlaced: true }).isDeinterlaced).toBe(true)
    expect(planned({ isInterlaced: false }).isDeinterlaced).toBe(false)
  })

  it.each([
    [0, 0, undefined],
    [1.4, 1.4, undefined],
    [1.5, 1.25, 0.25],
    [0, -0.25, 0.25],
    // Audio that starts later does not shift the video.
    [0, 0.75, undefined],
  ])('plans the start of video that starts at %d s with audio that starts at %d s', (video, audio, startSeconds) => {
    const probe = aProbe({
      ...{ video: { startSeconds: video }, audio: [anAudio({ startSeconds: audio })] },
    })
    expect(planVideoInput(probe).startSeconds).toBe(startSeconds)
  })
})
