import { describe, expect, it } from 'vitest'
import type { PartAttempt } from './part-record.ts'
import { violationsOf } from './upload-assertions.ts'

const PART_BYTES = 100
const progress = [[0, 30, 60, 100]]

const stored = (number: number): PartAttempt => ({
  ...{ number, bytes: PART_BYTES, sentBytes: PART_BYTES, isStored: true, lostByCut: undefined },
})
const lost = (number: number, lostByCut: number | undefined): PartAttempt => ({
  ...{ number, bytes: PART_BYTES, sentBytes: PART_BYTES / 2, isStored: false, lostByCut },
})

const check = (parts: number, cuts: number, attempts: readonly PartAttempt[]) =>
  violationsOf({ fileBytes: parts * PART_BYTES, attempts, progress, cuts })

describe('an upload over a connection that is cut', () => {
  it('may send a part again for each cut during its transfer', () => {
    const attempts = [lost(1, 1), lost(2, 1), lost(1, 2), stored(1), stored(2)]
    expect(check(2, 2, attempts)).toEqual([])
  })

  it('need not send a part again if only the response was lost', () => {
    const unanswered = { ...stored(1), isStored: false, lostByCut: 1 }
    expect(check(2, 1, [unanswered, stored(2)])).toEqual([])
  })

  it.each([
    ['part 1 was sent 2 times, in transfer during 0 cuts', [lost(2, 1), lost(1, undefined)]],
    ['part 1 was sent 3 times, in transfer during 1 cuts', [lost(1, 1), lost(1, 1)]],
    ['part 1 was sent again after storage had it', [lost(1, 1), stored(1)]],
  ])('is reported as a violation: %s', (violation, before) => {
    expect(check(2, 1, [...before, stored(1), stored(2)])).toContain(violation)
  })

  it('is reported as a violation if a cut interrupts more parts than are sent in parallel', () => {
    const numbers = [1, 2, 3, 4, 5]
    const attempts = [...numbers.map((number) => lost(number, 1)), ...numbers.map(stored)]
    expect(check(5, 1, attempts)).toContain('cut 1 cost 5 parts, allowed are 4')
  })

  it('is reported as a violation if a part never arrived, or if nothing was in transfer during a cut', () => {
    expect(check(2, 1, [stored(1), lost(2, undefined)])).toEqual([
      'nothing was in transfer when the connection was cut',
      'part 2 was never sent whole',
    ])
  })
})
