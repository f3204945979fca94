import { expect, it } from 'vitest'
import { podcasting } from './podcasting.rules.ts'

const reading = (chapters: unknown) =>
  podcasting.read(JSON.stringify({ version: '1.2.0', chapters }))

it('takes starts within a second, and leaves out pictures, links and silent chapters', () => {
  const { chapters, faults } = reading([
    { startTime: 0, title: 'Opening', img: 'https://example.com/a.jpg', toc: true },
    { startTime: 12.9, title: 'Picture only', toc: false },
    { startTime: 94.999, title: 'Interview', url: 'https://example.com', endTime: 100 },
  ])
  expect(faults).toEqual([])
  expect(chapters).toEqual([
    { place: 'chapters[0]', startSeconds: 0, title: 'Opening' },
    { place: 'chapters[2]', startSeconds: 94, title: 'Interview' },
  ])
})

it('names every entry that it cannot read', () => {
  const { faults } = reading([
    { startTime: '0', title: 'x' },
    { startTime: -1, title: 'x' },
    { startTime: 1 },
    { title: 'x' },
    null,
    7,
    { startTime: 1, title: 'fine' },
  ])
  expect(faults.map(({ place }) => place)).toEqual(
    [0, 1, 2, 3, 4, 5].map((index) => `chapters[${index}]`),
  )
})

it.each([
  ['{"chapters": [\n{"startTime": 0,}\n]}', 'line 2'],
  ['', 'line 1'],
  ['[]', 'line 1'],
  ['null', 'line 1'],
  ['{"chapters": {}}', 'line 1'],
  [`${'['.repeat(100_000)}`, 'line 1'],
])('says where %j goes wrong', (text, place) => {
  expect(podcasting.read(text).faults).toMatchObject([{ place }])
})

it('takes a number too large for seconds for none', () => {
  expect(podcasting.read('{"chapters":[{"startTime":1e999,"title":"x"}]}').faults).toHaveLength(1)
})

it('takes no start of 100 hours or more, of which no time could be told', () => {
  const { chapters, faults } = reading([
    { startTime: 359_999.9, title: 'the latest' },
    { startTime: 360_000, title: 'x' },
    { startTime: 1e308, title: 'x' },
  ])
  expect(chapters).toMatchObject([{ startSeconds: 359_999 }])
  expect(faults).toEqual(
    [1, 2].map((index) => ({
      place: `chapters[${index}]`,
      detail: 'starts after 99:59:59, the latest time.',
    })),
  )
})

it('says which version it writes', () => {
  const text = podcasting.write([{ title: 'a', startSeconds: 5 }], 60)
  expect(JSON.parse(text)).toEqual({ version: '1.2.0', chapters: [{ startTime: 5, title: 'a' }] })
})
