import { ProbeInterrupted, UnusableMedia } from '@reelkeep/media'
import { expect, it } from 'vitest'
import { frameRateOf, stepError } from './probe.step.ts'

const costly = new UnusableMedia('probe_too_costly', 'took far too long')
const slow = new ProbeInterrupted('too-slow', 'The program did not end', { cause: costly })
const blamed = { name: 'UnusableFile', failure: { code: 'probe_too_costly' } }

const here = (number: number) => ({ number, hasFailedElsewhere: false })
const elsewhere = (number: number) => ({ number, hasFailedElsewhere: true })

it('an unusable file is rejected at the first attempt', () => {
  expect(stepError(costly, here(1))).toMatchObject(blamed)
})

it('a file whose probe takes too long on two workers is retried, and rejected at the fifth attempt', () => {
  for (const number of [1, 2, 3, 4]) expect(stepError(slow, elsewhere(number))).toBe(slow)
  expect(stepError(slow, elsewhere(5))).toMatchObject(blamed)
  expect(stepError(slow, here(12))).toBe(slow)
})

it('an error of storage is never blamed on the file', () => {
  const away = new ProbeInterrupted('source-unreadable', 'away', { cause: new Error('ECONNRESET') })
  expect(stepError(away, elsewhere(12))).toBe(away)
})

it.each([
  [{ numerator: 30_000, denominator: 1001 }, false, 29.97],
  [{ numerator: 24_000, denominator: 1001 }, false, 23.976],
  [{ numerator: 25, denominator: 1 }, false, 25],
  [{ numerator: 25, denominator: 1 }, true, null],
  [undefined, false, null],
])('the frame rate %j, variable: %s, is shown as %s', (frameRate, isVariableFrameRate, shown) => {
  expect(frameRateOf({ ...(frameRate && { frameRate }), isVariableFrameRate })).toBe(shown)
})
