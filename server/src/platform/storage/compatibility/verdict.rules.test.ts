import { describe, expect, it } from 'vitest'
import { isServedBy, judgeStorage } from './verdict.rules.ts'

type Seen = Parameters<typeof judgeStorage>[0][number]

const needs = ['always', 'forms', 'versions', 'better'] as const
/** All is well but these. */
const seen = (state: 'failed' | 'skipped', ...bad: readonly Seen['need'][]): Seen[] =>
  needs.flatMap((need) => [
    { need, state: 'passed' as const },
    { need, state: bad.includes(need) ? state : ('passed' as const) },
  ])

const [on, off] = ['on', 'off'] as const
const asIs = { STORAGE_FORMS: on, STORAGE_VERSIONS: on }
const inParts = { STORAGE_FORMS: off, STORAGE_VERSIONS: on }
const unkept = { STORAGE_FORMS: off, STORAGE_VERSIONS: off }

describe.each(['failed', 'skipped'] as const)('a trial that %s', (state) => {
  it.each([
    ['none', [], 'everything', asIs],
    ['of what is only better', ['better'], 'everything', asIs],
    ['of forms', ['forms'], 'parts only', inParts],
    ['of versions: then no form is safe either', ['versions'], 'parts only', unkept],
    ['of both', ['forms', 'versions'], 'parts only', unkept],
    ['of what is always needed', ['always'], 'unfit', asIs],
    ['of everything', needs, 'unfit', unkept],
  ] as const)('%s', (_, bad, verdict, settings) => {
    expect(judgeStorage(seen(state, ...bad))).toEqual({ verdict, settings })
  })
})

describe('a service that is set to', () => {
  it('all of it runs only on a storage that does everything', () => {
    expect(isServedBy(judgeStorage(seen('failed')), asIs)).toBe(true)
    expect(isServedBy(judgeStorage(seen('failed', 'forms')), asIs)).toBe(false)
  })

  it('parts with versions needs the versions', () => {
    expect(isServedBy(judgeStorage(seen('failed', 'forms')), inParts)).toBe(true)
    expect(isServedBy(judgeStorage(seen('failed', 'versions')), inParts)).toBe(false)
  })

  it('as little as can be runs on all but the unfit', () => {
    expect(isServedBy(judgeStorage(seen('failed')), unkept)).toBe(true)
    expect(isServedBy(judgeStorage(seen('failed', 'versions')), unkept)).toBe(true)
    expect(isServedBy(judgeStorage(seen('failed', 'always')), unkept)).toBe(false)
  })
})
