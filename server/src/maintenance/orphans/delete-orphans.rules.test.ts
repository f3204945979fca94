import { expect, it } from 'vitest'
import { isOldEnough, refusalOf } from './delete-orphans.rules.ts'

it('refusalOf allows deleting up to a tenth of the prefixes, and more only up to --orphans-max', () => {
  expect(refusalOf({ orphans: 10, checked: 100, orphansMax: undefined })).toBeUndefined()
  const refusal = refusalOf({ orphans: 11, checked: 100, orphansMax: undefined })
  expect(refusal).toContain('11 of 100')
  expect(refusal).toContain('--orphans-max 11')
  expect(refusalOf({ orphans: 11, checked: 100, orphansMax: 11 })).toBeUndefined()
  expect(refusalOf({ orphans: 12, checked: 100, orphansMax: 11 })).toContain('--orphans-max 11')
})

it('refusalOf applies --orphans-max even if less than a tenth of the prefixes are orphans', () => {
  expect(refusalOf({ orphans: 2, checked: 100, orphansMax: 1 })).toContain('2 orphans')
})

it.each([
  ['live', 1],
  ['backup', 30],
] as const)('isOldEnough accepts orphans of kind %s after %i days', (kind, days) => {
  const since = new Date('2026-01-01T00:00:00Z')
  const after = (seconds: number) => new Date(since.getTime() + seconds * 1000)
  expect(isOldEnough(kind, since, after(days * 86_400 - 1))).toBe(false)
  expect(isOldEnough(kind, since, after(days * 86_400))).toBe(true)
})
