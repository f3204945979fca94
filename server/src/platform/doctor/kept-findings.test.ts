import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { fine } from './finding.ts'
import { keepFindings } from './kept-findings.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('looks once for all who ask within ten seconds, however long the look takes', async () => {
  let looks = 0
  const look = async () => {
    looks++
    await new Promise((resolve) => setTimeout(resolve, 5000))
    return fine(`Look ${looks}.`)
  }
  const findings = keepFindings([{ name: 'sandbox', look }])
  const asked = [findings(), findings()]
  await vi.advanceTimersByTimeAsync(5000)
  await vi.advanceTimersByTimeAsync(9900)
  asked.push(findings())
  const details = (await Promise.all(asked)).flat().map(({ detail }) => detail)
  expect(details).toEqual(['Look 1.', 'Look 1.', 'Look 1.'])
  await vi.advanceTimersByTimeAsync(200)
  const later = findings()
  await vi.advanceTimersByTimeAsync(5000)
  expect(await later).toMatchObject([{ detail: 'Look 2.' }])
})
