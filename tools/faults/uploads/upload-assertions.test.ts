import { describe, expect, it } from 'vitest'
import type { PartTry } from './part-record.ts'
import { faultsOf } from './upload-assertions.ts'

const PART_BYTES = 100
const shown = [[0, 30, 60, 100]]

const taken = (number: number): PartTry => ({
  ...{ number, bytes: PART_BYTES, sentBytes: PART_BYTES, isTaken: true, lostByCut: undefined },
})
const lost = (number: number, lostByCut: number | undefined): PartTry => ({
  ...{ number, bytes: PART_BYTES, sentBytes: PART_BYTES / 2, isTaken: false, lostByCut },
})

const judged = (parts: number, breaks: number, tries: readonly PartTry[]) =>
  faultsOf({ fileBytes: parts * PART_BYTES, tries, shown, breaks })

describe('an upload over a connection that is cut', () => {
  it('may send a part again for each cut during its transfer', () => {
    const tries = [lost(1, 1), lost(2, 1), lost(1, 2), taken(1), taken(2)]
    expect(judged(2, 2, tries)).toEqual([])
  })

  it('need not send a part again whose response was lost', () => {
    const unanswered = { ...taken(1), isTaken: false, lostByCut: 1 }
    expect(judged(2, 1, [unanswered, taken(2)])).toEqual([])
  })

  it.each([
    ['part 1 was sent 2 times, in transfer during 0 cuts', [lost(2, 1), lost(1, undefined)]],
    ['part 1 was sent 3 times, in transfer during 1 cuts', [lost(1, 1), lost(1, 1)]],
    ['part 1 was sent again after storage had it', [lost(1, 1), taken(1)]],
  ])('violates: %s', (fault, before) => {
    expect(judged(2, 1, [...before, taken(1), taken(2)])).toContain(fault)
  })

  it('violates: a cut costs more parts than were in transfer', () => {
    const numbers = [1, 2, 3, 4, 5]
    const tries = [...numbers.map((number) => lost(number, 1)), ...numbers.map(taken)]
    expect(judged(5, 1, tries)).toContain('cut 1 cost 5 parts, allowed are 4')
  })

  it('violates: a part never arrived, and a cut hit nothing', () => {
    expect(judged(2, 1, [taken(1), lost(2, undefined)])).toEqual([
      'nothing was in transfer when the connection was cut',
      'part 2 was never sent whole',
    ])
  })
})
