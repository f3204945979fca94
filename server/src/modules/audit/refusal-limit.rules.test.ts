import { expect, it } from 'vitest'
import { REFUSALS_PER_MINUTE, RefusalLimit } from './refusal-limit.rules.ts'

const ada = { id: 'ada' }
const ben = { id: 'ben' }

it('RefusalLimit records some refusals per principal and minute, and counts the others', () => {
  const limit = new RefusalLimit<{ id: string }>()
  const recorded = Array.from({ length: REFUSALS_PER_MINUTE + 5 }, () => limit.add(ada, 0)).filter(Boolean)
  expect(recorded).toHaveLength(REFUSALS_PER_MINUTE)
  expect(limit.add(ben, 0)).toBe(true)
  expect(limit.takeOmissions(59_999)).toEqual([])
  expect(limit.takeOmissions(60_000)).toEqual([{ principal: ada, count: 5 }])
  expect(limit.takeOmissions(60_000)).toEqual([])
  expect(limit.add(ada, 60_000)).toBe(true)
})

it('RefusalLimit counts at most 10,000 principals at a time', () => {
  const limit = new RefusalLimit<{ id: string }>()
  for (let index = 0; index < 10_000; index++) limit.add({ id: String(index) }, 0)
  expect(limit.add(ada, 0)).toBe(false)
  limit.takeOmissions(0, true)
  expect(limit.add(ada, 0)).toBe(true)
})
