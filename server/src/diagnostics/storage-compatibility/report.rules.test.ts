import { describe, expect, it } from 'vitest'
import { compatibilityReport, isCompatible } from './report.rules.ts'

type ProbeState = Parameters<typeof compatibilityReport>[0][number]

const needs = ['always', 'forms', 'versions', 'better'] as const
/** All probes passed, except those with these needs. */
const seen = (state: 'failed' | 'skipped', ...bad: readonly ProbeState['need'][]): ProbeState[] =>
  needs.flatMap((need) => [
    { need, state: 'passed' as const },
    { need, state: bad.includes(need) ? state : ('passed' as const) },
  ])

const [on, off] = ['on', 'off'] as const
const asIs = { STORAGE_FORMS: on, STORAGE_VERSIONS: on }
const inParts = { STORAGE_FORMS: off, STORAGE_VERSIONS: on }
const unversioned = { STORAGE_FORMS: off, STORAGE_VERSIONS: off }

describe.each(['failed', 'skipped'] as const)('compatibilityReport with %s probes', (state) => {
  it.each([
    ['none', [], 'everything', asIs],
    ['optional features', ['better'], 'everything', asIs],
    ['forms', ['forms'], 'parts only', inParts],
    ['versions: then forms are not safe either', ['versions'], 'parts only', unversioned],
    ['forms and versions', ['forms', 'versions'], 'parts only', unversioned],
    ['required features', ['always'], 'unfit', asIs],
    ['everything', needs, 'unfit', unversioned],
  ] as const)('%s', (_, bad, verdict, settings) => {
    expect(compatibilityReport(seen(state, ...bad))).toEqual({ verdict, settings })
  })
})

describe('isCompatible, for a service with', () => {
  it('forms and versions, requires a storage that supports both', () => {
    expect(isCompatible(compatibilityReport(seen('failed')), asIs)).toBe(true)
    expect(isCompatible(compatibilityReport(seen('failed', 'forms')), asIs)).toBe(false)
  })

  it('parts and versions, requires versions', () => {
    expect(isCompatible(compatibilityReport(seen('failed', 'forms')), inParts)).toBe(true)
    expect(isCompatible(compatibilityReport(seen('failed', 'versions')), inParts)).toBe(false)
  })

  it('parts only, accepts every storage that is not unfit', () => {
    expect(isCompatible(compatibilityReport(seen('failed')), unversioned)).toBe(true)
    expect(isCompatible(compatibilityReport(seen('failed', 'versions')), unversioned)).toBe(true)
    expect(isCompatible(compatibilityReport(seen('failed', 'always')), unversioned)).toBe(false)
  })
})
