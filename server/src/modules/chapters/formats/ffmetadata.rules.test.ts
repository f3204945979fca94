import { describe, expect, it } from 'vitest'
import { ffmetadata } from './ffmetadata.rules.ts'
import { separated } from './parts.fixtures.ts'

const read = (text: string) => separated(ffmetadata.read(`;FFMETADATA1\n${text}`))
const chaptersIn = (text: string) => read(text).chapters.map(({ startSeconds, title }) => [startSeconds, title])

describe('reading ffmetadata', () => {
  it('accepts chapters with and without a time base, and ignores everything else', () => {
    const text = `title=bike\\\\shed
;this is a comment
artist=FFmpeg troll team

[CHAPTER]
TIMEBASE=1/1000
START=60999
#chapter ends at 0:01:30
END=90000
title=chapter \\#1 \\= a\\;b \\\\
[STREAM]
title=multi\\
line
[CHAPTER]
START=120000000000
END=130000000000
title=two\\
lines
`
    expect(read(text).errors).toEqual([])
    expect(chaptersIn(text)).toEqual([
      [60.999, 'chapter #1 = a;b \\'],
      [120, 'two lines'],
    ])
  })

  it('handles time bases of several seconds and large numbers exactly', () => {
    expect(chaptersIn('[CHAPTER]\nTIMEBASE=5/1\nSTART=3\nEND=4\ntitle=x')).toEqual([[15, 'x']])
    const large = '[CHAPTER]\nTIMEBASE=1/1000000000000\nSTART=3599999999999999\ntitle=x'
    expect(chaptersIn(large)).toEqual([[3599.999, 'x']])
  })

  it.each([
    ['[CHAPTER]\nTIMEBASE=1/0\nSTART=0\ntitle=x', ['line 3']],
    ['[CHAPTER]\nTIMEBASE=x\nSTART=0\ntitle=x', ['line 3']],
    ['[CHAPTER]\nSTART=-1\ntitle=x', ['line 3']],
    ['[CHAPTER]\ntitle=x', ['line 2']],
    ['nonsense\n\n[CHAPTER]\nSTART=x\ntitle=y', ['line 2', 'line 5']],
    ['title=a\\\nb\nnonsense', ['line 4']],
  ])('names the invalid lines of %j', (text, positions) => {
    expect(read(text).errors.map(({ position }) => position)).toEqual(positions)
  })

  it('rejects a text without the header', () => {
    const { errors } = separated(ffmetadata.read('[CHAPTER]\nSTART=0\ntitle=x'))
    expect(errors).toMatchObject([{ position: 'line 1' }])
  })
})

it('ffmetadata is written in milliseconds, and each chapter lasts until the next one or the end of the video', () => {
  const chapters = [
    { title: 'a=b', startSeconds: 0 },
    { title: 'c', startSeconds: 90.25 },
  ]
  expect(ffmetadata.write(chapters, 99.5)).toBe(`;FFMETADATA1

[CHAPTER]
TIMEBASE=1/1000
START=0
END=90250
title=a\\=b

[CHAPTER]
TIMEBASE=1/1000
START=90250
END=99500
title=c
`)
})
