import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cuesOf } from './cues.ts'
import { readTrack, TRACK_BYTES_MAX, TRACK_CUES_MAX } from './read-track.ts'
import { toTrackCue, writeWebVtt } from './webvtt.ts'

const cuesIn = (text: string) => {
  const { cues, errors } = { cues: undefined, ...readTrack(text) }
  expect(errors).toBeUndefined()
  return cues
}
const errorsIn = (text: string) => readTrack(text).errors?.map(({ line, detail }) => `${line}: ${detail}`)

describe('WebVTT', () => {
  it('is parsed with tags and settings; ids, comments, styles and regions are dropped', () => {
    const text = [
      ...['\ufeffWEBVTT - A film', 'Kind: captions', '', 'STYLE', '::cue { color: red }', ''],
      ...['NOTE by hand', '', 'REGION', 'id:fred', '', 'first', '00:01.500 --> 00:02.000 line:0 region:fred'],
      ...['<v Ann>Hello &amp; <i>good day</i>', 'to you', '', '01:00:00.000 --> 01:00:01.000', 'Bye'],
    ].join('\r\n')
    expect(cuesIn(text)).toEqual([
      {
        startSeconds: 1.5,
        endSeconds: 2,
        settings: 'line:0',
        text: '<v Ann>Hello &amp; <i>good day</i>\nto you',
      },
      { startSeconds: 3600, endSeconds: 3601, settings: '', text: 'Bye' },
    ])
  })

  it.each([
    ['<c.loud.x-1>a</c> <i>b</i> <b>c</b> <u>d</u> <lang de>e</lang>', undefined],
    ['<v.first Ann O\u2019Hara>Hello</v> <ruby>a<rt>b</rt></ruby> <00:01.500>x<01:00:02.000>y', undefined],
    ['R&D &lt;script&gt; 2 > 1', undefined],
    ['<I>a</I><V Ann>', '<i>a</i><v Ann>'],
    ['<img src=x onerror=alert(1)><script>', '&lt;img src=x onerror=alert(1)>&lt;script>'],
    ['</script><!-- 1 < 2 <', '&lt;/script>&lt;!-- 1 &lt; 2 &lt;'],
    ['<b onclick=alert(1)>a</b x>', '<b>a</b>'],
    ['<v Ann onclick=alert(1)>a', '<v Ann onclick alert(1)>a'],
    ['<c.a"b>x <v', '&lt;c.a"b>x &lt;v'],
    ['<v Ann\nBob>x', '&lt;v Ann\nBob>x'],
    ['<video><i<b>x<b/onclick=alert(1)>', '&lt;video>&lt;i<b>x&lt;b/onclick=alert(1)>'],
  ])('keeps only the tags of WebVTT and escapes every other `<`: %j', (text, expected) => {
    expect(cuesIn(`WEBVTT\n\n00:01.000 --> 00:02.000\n${text}`)?.map((cue) => cue.text)).toEqual([expected ?? text])
  })

  it('is rejected with an error for every invalid line', () => {
    const text = [
      ...['WEBVTT', '', '00:02.000 --> 00:01.000', 'x', '', '00:03 --> 00:04', 'y', ''],
      ...['lost text', '', '00:09.000 --> 00:10.000', 'a', '00:11.000 --> 00:12.000', 'b', ''],
      ...['00:05.000 --> 00:06.000', 'bell \u0007', '', '00:08.000 --> 00:09.000', 'c'],
      ...['', '00:07.000 --> 00:08.000', 'd'],
    ].join('\n')

    expect(errorsIn(text)).toEqual([
      '3: The cue must end after it starts.',
      '6: Invalid timing. Example: 00:01:30.000 --> 00:01:32.500.',
      '9: A cue must have a timing such as 00:01:30.000 --> 00:01:32.500.',
      '13: The cue has a second timing. Separate cues with a blank line.',
      '17: The line contains a control character.',
      '22: The cue must not start before the previous one.',
    ])
  })
})

describe('SRT', () => {
  it('is detected and converted to WebVTT', () => {
    const text = [
      ...['1', '00:00:01,000 --> 00:00:02,500', '{\\an8}<font color="red">R&D</font>, <I>he</I> said: 1 < 2', ''],
      ...['2', '0:00:03.000 --> 00:00:04,000', 'two', 'lines', '', '3', '00:00:05,000 --> 00:00:06,000', ''],
    ].join('\n')
    expect(cuesIn(text)).toEqual([
      { startSeconds: 1, endSeconds: 2.5, settings: '', text: 'R&amp;D, <i>he</i> said: 1 &lt; 2' },
      { startSeconds: 3, endSeconds: 4, settings: '', text: 'two\nlines' },
    ])
  })

  it('is rejected with an example of a valid timing if a timing is invalid', () => {
    expect(errorsIn('1\n00:00:01,00 --> 00:00:02,500\nx')).toEqual([
      '2: Invalid timing. Example: 00:01:30,000 --> 00:01:32,500.',
    ])
  })
})

describe('invalid tracks', () => {
  it.each([
    ['', '1: The file must start with WEBVTT or, for SRT, with the number of the first cue.'],
    ['{"a": 1}', '1: The file must start with WEBVTT or, for SRT, with the number of the first cue.'],
    ['WEBVTTX\n', '1: The file must start with WEBVTT or, for SRT, with the number of the first cue.'],
    ['WEBVTT\n\nNOTE nothing', '1: The track has no cues.'],
    [`WEBVTT\n\nNOTE ${'ü'.repeat(TRACK_BYTES_MAX / 2)}`, '1: The track must be at most 2 MiB.'],
  ])('are rejected with an error: %.20s', (text, error) => {
    expect(errorsIn(text)).toEqual([error])
  })

  it('are rejected if they have too many cues', () => {
    const cue = (index: number) => `\n${String(index % 60).padStart(2, '0')}:00.000 --> 59:59.999\nx\n`
    const track = (count: number) => `WEBVTT\n${cue(0).repeat(count)}`
    expect(cuesIn(track(TRACK_CUES_MAX))).toHaveLength(TRACK_CUES_MAX)
    expect(errorsIn(track(TRACK_CUES_MAX + 1))).toEqual([
      `${2 + 3 * TRACK_CUES_MAX + 1}: The track must have at most ${TRACK_CUES_MAX} cues.`,
    ])
  })

  it('are read up to the cue beyond the limit', () => {
    const track = `WEBVTT\n${'\n00:00.000 --> 00:01.000\nx\n'.repeat(TRACK_CUES_MAX + 1)}\nlost text`
    expect(errorsIn(track)).toEqual([`${3 * TRACK_CUES_MAX + 3}: The track must have at most ${TRACK_CUES_MAX} cues.`])
  })

  it('are read up to the fiftieth error', () => {
    const errors = errorsIn(`WEBVTT\n\n${'lost text\n\n'.repeat(60)}${'\n'.repeat(200_000)}`)
    expect(errors).toHaveLength(50)
    expect(errors?.at(-1)).toMatch(/^101: A cue must have a timing/)
  })

  it('are parsed or rejected quickly, whatever they contain', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
        readTrack(text)
        readTrack(`WEBVTT\n\n${text}`)
      }),
    )
    const before = process.cpuUsage()
    readTrack(`1\n00:00:01,000 --> 00:00:02,000\n${'<font '.repeat(300_000)}`)
    readTrack(`WEBVTT\n\n${' '.repeat(2_000_000)}-->`)
    for (const text of ['<v ', '<c.a', `<c${'.a'.repeat(500)}`]) {
      readTrack(`WEBVTT\n\n00:01.000 --> 00:02.000\n${text.repeat(1_500_000 / text.length)}`)
    }
    expect(errorsIn(`WEBVTT\n${'\n'.repeat(2_000_000)}`)).toEqual(['200000: The track must have at most 200000 lines.'])
    expect(process.cpuUsage(before).user).toBeLessThan(4e6)
  })
})

describe('writeWebVtt', () => {
  it('writes any text so that it is parsed unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 120 }), (text) => {
        const cues = cuesOf([{ startSeconds: 0.5, endSeconds: 6, text }]).map(toTrackCue)
        const again = cues.length > 0 ? (cuesIn(writeWebVtt(cues)) ?? []) : []
        expect(again.map((cue) => cue.text)).toEqual(cues.map((cue) => cue.text))
      }),
    )
  })

  it('escapes text that would be parsed as a tag or a timing', () => {
    const cues = cuesOf([{ startSeconds: 0, endSeconds: 3, text: 'a --> b <i> & c' }])
    expect(writeWebVtt(cues.map(toTrackCue))).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:03.000\na --&gt; b &lt;i&gt; &amp; c\n',
    )
  })

  it('increases the minutes if rounding would result in 60 seconds', () => {
    const cue = { startSeconds: 59.9996, endSeconds: 3661.001, settings: '', text: 'x' }
    expect(writeWebVtt([cue])).toBe('WEBVTT\n\n00:01:00.000 --> 01:01:01.001\nx\n')
  })
})
