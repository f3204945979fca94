import { describe, expect, it } from 'vitest'
import { type RungName, rungNames } from './plan.ts'
import { chooseRungs } from './rungs.ts'

function sizes(source: string, requested: readonly RungName[] = rungNames): string[] {
  const [width = 0, height = 0] = source.split('x').map(Number)
  return chooseRungs({ width, height }, requested).made.map((rung) => `${rung.name} ${rung.width}x${rung.height}`)
}

describe('chooseRungs', () => {
  it('encodes each requested rung once, smallest first', () => {
    expect(sizes('1920x1080', ['1080p', '240p', '480p', '480p'])).toEqual([
      '240p 426x240',
      '480p 854x480',
      '1080p 1920x1080',
    ])
  })

  it('names rungs by the shorter side', () => {
    expect(sizes('1080x1920', ['720p'])).toEqual(['720p 720x1280'])
  })

  it('encodes no rung that is larger than the source', () => {
    expect(sizes('1280x720')).toEqual(['240p 426x240', '360p 640x360', '480p 854x480', '540p 960x540', '720p 1280x720'])
  })

  it.each([
    ['1920x1072', '1080p 1920x1072'],
    ['1880x1059', '1080p 1880x1058'],
    ['1878x1058', undefined],
  ])('encodes %s, close to 1080 lines, as %s', (source, made) => {
    expect(sizes(source).find((rung) => rung.startsWith('1080p'))).toBe(made)
  })

  it('encodes the smallest requested rung at the size of a source that is smaller than all requested rungs', () => {
    expect(sizes('64x48', ['720p', '360p'])).toEqual(['360p 64x48'])
    expect(sizes('1920x66')).toEqual(['240p 1920x66'])
    expect(sizes('333x201')).toEqual(['240p 332x200'])
  })

  it('encodes only one of two rungs with the same size', () => {
    expect(sizes('8192x1080', ['540p', '720p', '1080p'])).toEqual(['540p 4096x540'])
  })

  it('gives the reason why a rung is encoded or skipped', () => {
    const { made, leftOut } = chooseRungs({ width: 1280, height: 720 }, ['720p', '1080p'])
    expect(made[0]?.reason).toBe('Requested; the source is 720 pixels high.')
    expect(leftOut).toEqual([
      {
        name: '1080p',
        reason: 'The source is only 720 pixels high, and videos are not upscaled.',
      },
    ])
  })

  it.each([
    ['1072x1920', '1080p', 'Requested; the source is 1072 pixels wide, which is close enough, so its size is kept.'],
    [
      '64x48',
      '360p',
      'The smallest requested resolution. The source is only 48 pixels high and is not upscaled, so its size is kept.',
    ],
    ['8192x1080', '1080p', 'Requested; reduced to 4096 × 540, because no side may exceed 4096 pixels.'],
    ['8192x100', '240p', 'Requested; reduced to 4096 × 50, because no side may exceed 4096 pixels.'],
  ] as const)('gives the reason why %s is encoded as %s: %s', (source, name, reason) => {
    const [width = 0, height = 0] = source.split('x').map(Number)
    expect(chooseRungs({ width, height }, [name]).made).toMatchObject([{ name, reason }])
  })

  it('names the encoded rung if another rung of the same size is skipped', () => {
    expect(chooseRungs({ width: 8192, height: 1080 }, ['540p', '720p']).leftOut).toEqual([
      {
        name: '720p',
        reason: 'Identical to 540p (4096 × 540), because no side may exceed 4096 pixels.',
      },
    ])
  })

  it('throws if no resolution is requested', () => {
    expect(() => chooseRungs({ width: 1280, height: 720 }, [])).toThrow(RangeError)
  })
})
