/** Properties that all formats share. Each format also has its own tests. */
import { chapters as contract } from '@reelkeep/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DomainError } from '../../../kernel/errors.ts'
import { cleanTitle, titleViolation } from '../../../kernel/title.ts'
import type { NewChapter } from '../chapters.rules.ts'
import { START_SECONDS_MAX } from '../timecodes.rules.ts'
import { parseChapters, requireChapters, writeChapters } from './formats.rules.ts'

const { chapterFormats } = contract

const nasty = fc.constantFrom(
  ...['-', '- x', '– x', ': x', '| x', '-->', '<b>', '</b>', '&amp;', '&', '&lt;', '&nbsp;', '<v Ann>'],
  ...['\\', '\\\\', 'a\\', '=', ';', '#', 'a=b;c#d\\', '[CHAPTER]', 'START=1', 'WEBVTT', 'NOTE x'],
  ...['0:00', '1:30 x', '00:00:01 --> 00:00:02', '1. x', '(1:02)', '{}', '"', 'null', '\u2028', 'a\u2028b'],
  ...['a\u00a0b', '\u0301x', '🎬', '\u202ex', '\ud83d\udc68\u200d\ud83d\udc69', 'a  b', '\ufeffx', 'x\u200b'],
)

const title = fc
  .oneof(
    nasty,
    fc.tuple(nasty, nasty).map(([one, two]) => one + two),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
  )
  .map((text) => text.normalize('NFC').trim())
  .filter((text) => titleViolation(text) === undefined)
  .map((text) => cleanTitle(text, 'title'))

const chapters: fc.Arbitrary<NewChapter[]> = fc
  .uniqueArray(fc.integer({ min: 0, max: START_SECONDS_MAX * 1000 }), { minLength: 1, maxLength: 8 })
  .map((milliseconds) => milliseconds.map((start) => start / 1000))
  .chain((starts) =>
    fc.tuple(
      ...starts.toSorted((a, b) => a - b).map((startSeconds) => title.map((title) => ({ title, startSeconds }))),
    ),
  )

/** A line that the format cannot parse, after its chapters. A line after JSON would make all of it invalid. */
const invalid = { webvtt: '\nlost\n', lines: 'lost\n', podcasting: '', ffmetadata: 'lost\n' }

const readChapters = (format: contract.ChapterFormat, text: string) => requireChapters(parseChapters({ format, text }))

const outcomeOf = (format: contract.ChapterFormat, text: string) => {
  try {
    return readChapters(format, text)
  } catch (error) {
    return error
  }
}

describe.each(chapterFormats)('the chapter format %s', (format) => {
  it('reads back the chapters that it has written', () => {
    fc.assert(
      fc.property(chapters, fc.double({ min: 0.001, max: 5, noNaN: true }), (given, rest) => {
        const text = writeChapters(format, given, (given.at(-1)?.startSeconds ?? 0) + rest)
        const read = readChapters(format, text)
        expect(read.map(({ title, startSeconds }) => ({ title, startSeconds }))).toEqual(given)
      }),
      { numRuns: 500 },
    )
  })

  it('accepts a byte order mark and all line endings', () => {
    const given = [
      { title: 'One', startSeconds: 0 },
      { title: 'Two', startSeconds: 90 },
    ]
    const text = writeChapters(format, given, 600)
    for (const end of ['\r\n', '\r']) {
      const read = readChapters(format, `\ufeff${text.replaceAll('\n', end)}`)
      expect(read).toMatchObject(given)
    }
  })

  it('parses any text or reports the invalid lines', () => {
    const fragments = fc.constantFrom(
      ...['WEBVTT\n', ';FFMETADATA1\n', '[CHAPTER]\n', 'START=1\n', 'TIMEBASE=1/0\n', 'title=x\n', '\n'],
      ...['0:00 x\n', '00:00:01.000 --> 00:00:02.000\n', '{"chapters":[', '{"startTime":', '1e999', '}', ']'],
    )
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.oneof(fragments, fragments, fc.string()), { maxLength: 12 }).map((a) => a.join('')),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const outcome = outcomeOf(format, text)
        if (Array.isArray(outcome)) {
          expect(outcome).not.toHaveLength(0)
          return
        }
        expect(outcome).toBeInstanceOf(DomainError)
        expect(outcome).toMatchObject({ code: 'invalid_chapter_text' })
      }),
      { numRuns: 1000 },
    )
  })

  it('is read up to the chapter beyond the limit', () => {
    const given = Array.from({ length: 502 }, (_, index) => ({ title: 'x', startSeconds: index }))
    const text = writeChapters(format, given, 600)
    expect(outcomeOf(format, text + invalid[format])).toMatchObject({
      code: 'too_many_chapters',
      violations: [{ field: 'text', detail: 'A video can have at most 500 chapters, and the text has more.' }],
    })
  })

  it('is read up to the fiftieth error', () => {
    const blank = Array.from({ length: 500 }, (_, index) => ({ title: ' ', startSeconds: index }))
    const text = writeChapters(format, blank, 600)
    const outcome = outcomeOf(format, text + invalid[format])
    expect(outcome).toMatchObject({ code: 'invalid_chapter_text' })
    const { violations } = outcome as DomainError
    expect(violations).toHaveLength(50)
    for (const { detail } of violations) expect(detail).toMatch(/: the title must not be blank\.$/)
  })

  it.each(['', '\n\n'])('finds no chapter in %j', (text) => {
    expect(outcomeOf(format, text)).toMatchObject({ code: 'invalid_chapter_text' })
  })

  const headers = { webvtt: 'WEBVTT\n\n', lines: '', podcasting: '', ffmetadata: ';FFMETADATA1\n' }
  const parts = ['0', ' ', '<', '<a', '&', '\\', '[', '0:00 ', '0:00 x\n', '-->\n', '(', '\\=\n', '\\\n']

  it.each(parts)('parses 256 KiB of repeated %j quickly', (part) => {
    const long = part.repeat((256 * 1024) / part.length)
    for (const text of [long, `${long}x`, `0:00 ${long}x`, `1. ${long}`, `title=${long}x`]) {
      const before = process.cpuUsage()
      outcomeOf(format, headers[format] + text)
      expect(process.cpuUsage(before).user).toBeLessThan(2e6)
    }
  })
})
