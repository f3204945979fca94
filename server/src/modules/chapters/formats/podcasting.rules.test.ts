import { expect, it } from 'vitest'
import { separated } from './parts.fixtures.ts'
import { podcasting } from './podcasting.rules.ts'

const parse = (chapters: unknown) => separated(podcasting.read(JSON.stringify({ version: '1.2.0', chapters })))

it('the podcast format rounds starts down to milliseconds and ignores images, links and chapters outside the table of contents', () => {
  const { chapters, errors } = parse([
    { startTime: 0, title: 'Opening', img: 'https://example.com/a.jpg', toc: true },
    { startTime: 12.9, title: 'Picture only', toc: false },
    { startTime: 94.9999, title: 'Interview', url: 'https://example.com', endTime: 100 },
  ])
  expect(errors).toEqual([])
  expect(chapters).toEqual([
    { position: 'chapters[0]', startSeconds: 0, title: 'Opening' },
    { position: 'chapters[2]', startSeconds: 94.999, title: 'Interview' },
  ])
})

it('the podcast format names every invalid entry', () => {
  const { errors } = parse([
    { startTime: '0', title: 'x' },
    { startTime: -1, title: 'x' },
    { startTime: 1 },
    { title: 'x' },
    null,
    7,
    { startTime: 1, title: 'fine' },
  ])
  expect(errors.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5].map((index) => `chapters[${index}]`))
})

it.each([
  ['{"chapters": [\n{"startTime": 0,}\n]}', 'line 2'],
  ['', 'line 1'],
  ['[]', 'line 1'],
  ['null', 'line 1'],
  ['{"chapters": {}}', 'line 1'],
  [`${'['.repeat(100_000)}`, 'line 1'],
])('the podcast format names the position of the error in %j', (text, position) => {
  expect(separated(podcasting.read(text)).errors).toMatchObject([{ position }])
})

it('the podcast format rejects an infinite start', () => {
  expect(separated(podcasting.read('{"chapters":[{"startTime":1e999,"title":"x"}]}')).errors).toHaveLength(1)
})

it('the podcast format rejects starts of 100 hours or more', () => {
  const { chapters, errors } = parse([
    { startTime: 359_999.9, title: 'the latest' },
    { startTime: 360_000, title: 'x' },
    { startTime: 1e308, title: 'x' },
  ])
  expect(chapters).toMatchObject([{ startSeconds: 359_999.9 }])
  expect(errors).toEqual(
    [1, 2].map((index) => ({
      position: `chapters[${index}]`,
      detail: 'must start at 99:59:59 or earlier.',
    })),
  )
})

it('the podcast format writes its version', () => {
  const text = podcasting.write([{ title: 'a', startSeconds: 5 }], 60)
  expect(JSON.parse(text)).toEqual({ version: '1.2.0', chapters: [{ startTime: 5, title: 'a' }] })
})
