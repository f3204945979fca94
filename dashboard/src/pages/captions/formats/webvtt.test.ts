import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseWebVtt, writeSrt, writeWebVtt } from './webvtt.ts'

const cue = (startMs: number, endMs: number, text: string, speaker = '', settings = '') => ({
  ...{ startMs, endMs, text, speaker, settings },
})

const file = `WEBVTT

00:00:01.000 --> 00:00:02.500
Good <i>evening</i>

01:00:00.040 --> 01:00:02.000 line:0 align:start
<v Ada Lovelace>Questions &amp; answers
&lt;now&gt;
`

const cues = [
  cue(1000, 2500, 'Good <i>evening</i>'),
  cue(3_600_040, 3_602_000, 'Questions & answers\n&lt;now&gt;', 'Ada Lovelace', 'line:0 align:start'),
]

describe('WebVTT', () => {
  it('is read with speakers, settings and tags, and written as it was', () => {
    expect(parseWebVtt(file)).toEqual(cues)
    expect(writeWebVtt(cues)).toBe(file)
  })

  it('keeps the tags of several voices in the text', () => {
    const text = '<v Ada>Yes?\n<v Grace>No.'
    expect(parseWebVtt(`WEBVTT\n\n00:01.000 --> 00:02.000\n${text}\n`)).toEqual([cue(1000, 2000, text)])
  })

  it('leaves out cues without text, empty lines, and arrows that would start another cue', () => {
    expect(writeWebVtt([cue(0, 1000, ' \n'), cue(0, 1000, 'a\n\nb --> c')])).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\na\nb --&gt; c\n',
    )
  })

  it('is the same after it was written and read, whatever the text', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b ', '&', '&amp;', '&lt;', 'x;', '<i>', '\n', 'é', '&nbsp;'), { minLength: 1 })
      .map((parts) => parts.join(''))
      .filter((joined) => /[abxé]/.test(joined))
    const property = fc.property(text, (written) => {
      const once = parseWebVtt(writeWebVtt([cue(0, 1000, written)]))
      expect(parseWebVtt(writeWebVtt(once))).toEqual(once)
    })
    fc.assert(property, { seed: 25 })
  })
})

it('SRT has numbers, names of speakers, and only the tags that players support', () => {
  expect(writeSrt([...cues, cue(4_000_000, 4_001_000, '<c.yellow>Bye</c>')])).toBe(`1
00:00:01,000 --> 00:00:02,500
Good <i>evening</i>

2
01:00:00,040 --> 01:00:02,000
Ada Lovelace: Questions & answers
<now>

3
01:06:40,000 --> 01:06:41,000
Bye
`)
})
