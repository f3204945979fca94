import { describe, expect, it } from 'vitest'
import { webvtt } from './webvtt.rules.ts'

const chaptersIn = (text: string) =>
  webvtt.read(text).chapters.map(({ startSeconds, title }) => [startSeconds, title])
const faultsIn = (text: string) => webvtt.read(text).faults.map(({ place }) => place)

describe('reading', () => {
  it('takes cues with and without ids, settings, hours and a header text', () => {
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
    expect(webvtt.read(text).faults).toEqual([])
    expect(chaptersIn(text)).toEqual([
      [0, 'Opening'],
      [90, 'Interview'],
      [3600, 'Questions'],
    ])
  })

  it('leaves out comments, styles and regions', () => {
    const text = `WEBVTT\n\nNOTE one\nand more\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:x\n\nNOTE\n\n00:01.000 --> 00:02.000\nNOTE this is a title\n`
    expect(webvtt.read(text).faults).toEqual([])
    expect(chaptersIn(text)).toEqual([[1, 'NOTE this is a title']])
  })

  it('joins the lines of a cue, without tags and with its entities resolved', () => {
    const text = `WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann><b>Fish</b> &amp;\n<00:01.500>chips &lt;3 &unknown; a < b &#39;&#x1F3AC;&#39;\n`
    expect(chaptersIn(text)).toEqual([[1, "Fish & chips <3 &unknown; a < b '🎬'"]])
  })

  it('takes a cue that follows another, or the header, without a blank line', () => {
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
  ])('names the lines of %j that it cannot read', (text, places) => {
    expect(faultsIn(text)).toEqual(places)
  })
})

describe('writing', () => {
  it('has each cue end where the next starts, and the last where the video ends', () => {
    const chapters = [
      { title: 'a & <b> -->', startSeconds: 0 },
      { title: 'c', startSeconds: 90 },
    ]
    expect(webvtt.write(chapters, 600.25)).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:01:30.000\na &amp; &lt;b&gt; --&gt;\n\n00:01:30.000 --> 00:10:00.250\nc\n',
    )
  })

  it('has no cue end where it starts', () => {
    const text = webvtt.write([{ title: 'a', startSeconds: 10 }], 10.0001)
    expect(text).toContain('00:00:10.000 --> 00:00:10.001')
  })
})
