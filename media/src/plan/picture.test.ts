import { describe, expect, it } from 'vitest'
import { aProbe, type VideoChanges } from '../../testing/probes.ts'
import { planPicture } from './picture.ts'

const planned = (video: VideoChanges) => planPicture(aProbe({ video }).video)

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
})
