import { describe, expect, it } from 'vitest'
import { determineCompatibility, isCompatible } from './compatibility.rules.ts'

type Result = Parameters<typeof determineCompatibility>[0][number]

const requirements = ['required', 'forms', 'versions', 'optional'] as const

/**
 * Creates two checks per requirement. The second one has the given status if its requirement is in `bad`, otherwise
 * `ok`.
 */
const determine = (status: 'failed' | 'skipped', ...bad: readonly Result['requirement'][]) =>
  determineCompatibility(
    requirements.flatMap((requirement) => [
      { requirement, status: 'ok' as const },
      { requirement, status: bad.includes(requirement) ? status : ('ok' as const) },
    ]),
  )

const [on, off] = ['on', 'off'] as const
const allFeatures = { STORAGE_FORMS: on, STORAGE_VERSIONS: on }
const partsOnly = { STORAGE_FORMS: off, STORAGE_VERSIONS: on }
const unversioned = { STORAGE_FORMS: off, STORAGE_VERSIONS: off }

describe.each(['failed', 'skipped'] as const)('determineCompatibility with %s checks', (status) => {
  it.each([
    ['returns full if all checks pass', [], 'full', allFeatures],
    ['returns full if only optional features are affected', ['optional'], 'full', allFeatures],
    ['returns parts_only if forms are affected', ['forms'], 'parts_only', partsOnly],
    ['returns parts_only if versions are affected', ['versions'], 'parts_only', unversioned],
    ['returns parts_only if forms and versions are affected', ['forms', 'versions'], 'parts_only', unversioned],
    ['returns incompatible if required features are affected', ['required'], 'incompatible', allFeatures],
    ['returns incompatible if all features are affected', requirements, 'incompatible', unversioned],
  ] as const)('%s', (_, bad, compatibility, settings) => {
    expect(determine(status, ...bad)).toEqual({ compatibility, settings })
  })
})

describe('isCompatible', () => {
  it('requires support for forms and versions for a service that uses both', () => {
    expect(isCompatible(determine('failed'), allFeatures)).toBe(true)
    expect(isCompatible(determine('failed', 'forms'), allFeatures)).toBe(false)
  })

  it('requires support for versions for a service that uses parts and versions', () => {
    expect(isCompatible(determine('failed', 'forms'), partsOnly)).toBe(true)
    expect(isCompatible(determine('failed', 'versions'), partsOnly)).toBe(false)
  })

  it('accepts storage without forms and versions for a service that uses only parts', () => {
    expect(isCompatible(determine('failed'), unversioned)).toBe(true)
    expect(isCompatible(determine('failed', 'versions'), unversioned)).toBe(true)
    expect(isCompatible(determine('failed', 'required'), unversioned)).toBe(false)
  })
})
