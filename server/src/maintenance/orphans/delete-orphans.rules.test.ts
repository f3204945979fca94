import { expect, it } from 'vitest'
import { isOldEnough, whyKept } from './delete-orphans.rules.ts'

it('allows deleting a tenth, and more only up to the limit given by the operator', () => {
  expect(whyKept({ orphans: 10, seen: 100, orphansMax: undefined })).toBeUndefined()
  const refusal = whyKept({ orphans: 11, seen: 100, orphansMax: undefined })
  expect(refusal).toContain('11 of 100')
  expect(refusal).toContain('--orphans-max 11')
  expect(whyKept({ orphans: 11, seen: 100, orphansMax: 11 })).toBeUndefined()
  expect(whyKept({ orphans: 12, seen: 100, orphansMax: 11 })).toContain('--orphans-max 11')
})

it('obeys the limit of the operator also below a tenth', () => {
  expect(whyKept({ orphans: 2, seen: 100, orphansMax: 1 })).toContain('2 orphans')
})

it.each([
  ['live', 1],
  ['backup', 30],
] as const)('%s: waits %i days', (kind, days) => {
  const since = new Date('2026-01-01T00:00:00Z')
  const after = (seconds: number) => new Date(since.getTime() + seconds * 1000)
  expect(isOldEnough(kind, since, after(days * 86_400 - 1))).toBe(false)
  expect(isOldEnough(kind, since, after(days * 86_400))).toBe(true)
})
