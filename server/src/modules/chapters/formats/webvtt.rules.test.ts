import { describe, expect, it } from 'vitest'
import { separated } from './parts.fixtures.ts'
import { webvtt } from './webvtt.rules.ts'

const chaptersIn = (text: string) =>
  separated(webvtt.read(text)).chapters.map(({ startSeconds, title }) => [startSeconds, title])
const errorsIn = (text: string) => separated(webvtt.read(text)).errors.map(({ position }) => position)

describe('reading WebVTT', () => {
  it('accepts cues with and without ids, settings, hours and header text', () => {
    const text = `WEBVTT - chapters of a talk
Kind: chapters
Language: en

intro
00:00:00.000 --> 00:01:30.000 align:start position:0%
Opening

01:30.999 --> 02:00.000
Interview

2
1:00:00,500 --> 1:10:00,000
Questions
`
    expect(separated(webvtt.read(text)).errors).toEqual([])
    expect(chaptersIn(text)).toEqual([
      [0, 'Opening'],
      [90.999, 'Interview'],
      [3600.5, 'Questions'],
    ])
  })

  it('ignores comments, styles and regions', () => {
    const text = `WEBVTT\n\nNOTE one\nand more\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:x\n\nNOTE\n\n00:01.000 --> 00:02.000\nNOTE this is a title\n`
    expect(separated(webvtt.read(text)).errors).toEqual([])
    expect(chaptersIn(text)).toEqual([[1, 'NOTE this is a title']])
  })

  it('joins the lines of a cue, removes tags and decodes entities', () => {
    const text = `WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann><b>Fish</b> &amp;\n<00:01.500>chips &lt;3 &unknown; a < b &#39;&#x1F3AC;&#39;\n`
    expect(chaptersIn(text)).toEqual([[1, "Fish & chips <3 &unknown; a < b '🎬'"]])
  })

  it('accepts cues that follow each other or the header without a blank line', () => {
    const text = 'WEBVTT\n00:01.000 --> 00:02.000\nOne\n00:02.000 --> 00:03.000\nTwo'
    expect(chaptersIn(text)).toEqual([
      [1, 'One'],
      [2, 'Two'],
    ])
  })

  it.each([
    ['00:00.000 --> 00:01.000\nx', ['line 1']],
    ['WEBVTTX\n\n00:00.000 --> 00:01.000\nx', ['line 1']],
    ['WEBVTT\n\nsome words\nand more', ['line 3']],
    ['WEBVTT\n\n00:61.000 --> 00:01.000\nx', ['line 3']],
    ['WEBVTT\n\nid\nmore\n00:01.000 --> 00:02.000\nx', ['line 3']],
    ['WEBVTT\n\nx --> y\na\n\n00:01.000 --> 00:02.000\nb\n\nlost', ['line 3', 'line 9']],
  ])('names the invalid lines of %j', (text, positions) => {
    expect(errorsIn(text)).toEqual(positions)
  })
})

describe('writing WebVTT', () => {
  it('ends each cue at the next one and the last at the end of the video', () => {
    const chapters = [
      { title: 'a & <b> -->', startSeconds: 0 },
      { title: 'c', startSeconds: 90 },
    ]
    expect(webvtt.write(chapters, 600.25)).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:01:30.000\na &amp; &lt;b&gt; --&gt;\n\n00:01:30.000 --> 00:10:00.250\nc\n',
    )
  })

  it('writes no empty cues', () => {
    const text = webvtt.write([{ title: 'a', startSeconds: 10 }], 10.0001)
    expect(text).toContain('00:00:10.000 --> 00:00:10.001')
  })
})
