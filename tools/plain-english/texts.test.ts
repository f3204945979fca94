import { describe, expect, it } from 'vitest'
import { countMarkers, countWords } from './markers.ts'
import { textsOf } from './texts.ts'

const source = `
/** Frees the slot.
 *  Then logs. */
const a = 1 // behind code
// first line
// second line
throw new Error('The title must be a string.')
it('returns the folder', () => {})
it.each([1])("counts to %s", () => {})
`

describe('textsOf', () => {
  it('finds block comments and groups of line comments, but no comment after code on the same line', () => {
    const comments = textsOf('a.ts', source).filter(({ kind }) => kind === 'comments')
    expect(comments.map(({ text }) => text)).toEqual(['Frees the slot. Then logs.', 'first line second line'])
  })

  it('finds test titles, and messages outside of tests', () => {
    const others = (path: string) =>
      textsOf(path, source).flatMap(({ kind, text }) => (kind === 'comments' ? [] : [text]))
    expect(others('a.ts')).toEqual(['returns the folder', 'counts to %s', 'The title must be a string.'])
    expect(others('a.test.ts')).toEqual(['returns the folder', 'counts to %s'])
  })

  it('finds paragraphs, table rows and list items of Markdown without code', () => {
    const markdown = 'One.\n\nTwo `told`.\n```\ntold\n```\n\n| a |\n| b |\n- c\n'
    expect(textsOf('a.md', markdown).map(({ text }) => text)).toEqual(['One.', 'Two .', '| a |', 'b |', 'c'])
  })

  it('ignores declaration files and other types', () => {
    expect(textsOf('a.d.ts', source)).toEqual([])
    expect(textsOf('a.json', source)).toEqual([])
  })
})

describe('countMarkers', () => {
  it.each([
    ['Whoever waits is told.', 2],
    ['Of a thousand entries each.', 1],
    ['So often in a row it is tried.', 1],
    ['It is to be renamed.', 1],
    ['What its edit list leaves out.', 1],
    ['Nobody stands behind it for ever.', 2],
    ['Mended at the next look.', 1],
  ])('counts the markers of "%s"', (text, count) => {
    expect(countMarkers(text)).toBe(count)
  })

  it('accepts plain sentences', () => {
    expect(countMarkers('Drains the queue; errors reject the waiting callers.')).toBe(0)
    expect(countMarkers('What happens if the lease expires?')).toBe(0)
  })
})

it('countWords counts words between spaces', () => {
  expect(countWords(' one  two\nthree ')).toBe(3)
})
