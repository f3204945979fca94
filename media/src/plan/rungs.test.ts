import { describe, expect, it } from 'vitest'
import { type RungName, rungNames } from './plan.ts'
import { chooseRungs } from './rungs.ts'

function sizes(source: string, asked: readonly RungName[] = rungNames): string[] {
  const [width = 0, height = 0] = source.split('x').map(Number)
  return chooseRungs({ width, height }, asked).made.map(
    (rung) => `${rung.name} ${rung.width}x${rung.height}`,
  )
}

describe('chooseRungs', () => {
  it('makes what was asked for, smallest first, each once', () => {
    expect(sizes('1920x1080', ['1080p', '240p', '480p', '480p'])).toEqual([
      '240p 426x240',
      '480p 854x480',
      '1080p 1920x1080',
    ])
  })

  it('names by the shorter side', () => {
    expect(sizes('1080x1920', ['720p'])).toEqual(['720p 720x1280'])
  })

  it('makes none that is larger than the source', () => {
    expect(sizes('1280x720')).toEqual([
      '240p 426x240',
      '360p 640x360',
      '480p 854x480',
      '540p 960x540',
      '720p 1280x720',
    ])
  })

  it.each([
    ['1920x1072', '1080p 1920x1072'],
    ['1880x1059', '1080p 1880x1058'],
    ['1878x1058', undefined],
  ])('of %s, what is nearly 1080 lines: %s', (source, made) => {
    expect(sizes(source).find((rung) => rung.startsWith('1080p'))).toBe(made)
  })

  it('makes the smallest asked for at the size of a source that is smaller than all', () => {
    expect(sizes('64x48', ['720p', '360p'])).toEqual(['360p 64x48'])
    expect(sizes('1920x66')).toEqual(['240p 1920x66'])
    expect(sizes('333x201')).toEqual(['240p 332x200'])
  })

  it('makes one of two that come out alike', () => {
    expect(sizes('8192x1080', ['540p', '720p', '1080p'])).toEqual(['540p 4096x540'])
  })

  it('says why', () => {
    const { made, leftOut } = chooseRungs({ width: 1280, height: 720 }, ['720p', '1080p'])
    expect(made[0]?.reason).toBe('Asked for, and the source is 720 high.')
    expect(leftOut).toEqual([
      {
        name: '1080p',
        reason: 'Larger than the source, which is 720 high; nothing is scaled up.',
      },
    ])
  })

  it.each([
    [
      '1072x1920',
      '1080p',
      'Asked for; the source is 1072 wide, which is close enough, and its size is kept.',
    ],
    [
      '64x48',
      '360p',
      'The smallest that was asked for. The source is only 48 high; nothing is scaled up, so its size is kept.',
    ],
    [
      '8192x1080',
      '1080p',
      'Asked for; made 4096 × 540, because no side may be longer than 4096 pixels.',
    ],
    [
      '8192x100',
      '240p',
      'Asked for; made 4096 × 50, because no side may be longer than 4096 pixels.',
    ],
  ] as const)('says of %s as %s: %s', (source, name, reason) => {
    const [width = 0, height = 0] = source.split('x').map(Number)
    expect(chooseRungs({ width, height }, [name]).made).toMatchObject([{ name, reason }])
  })

  it('says which one is the same', () => {
    expect(chooseRungs({ width: 8192, height: 1080 }, ['540p', '720p']).leftOut).toEqual([
      {
        name: '720p',
        reason:
          'It would be the same as 540p, 4096 × 540, because no side may be longer than 4096 pixels.',
      },
    ])
  })

  it('cannot make nothing', () => {
    expect(() => chooseRungs({ width: 1280, height: 720 }, [])).toThrow(RangeError)
  })
})
