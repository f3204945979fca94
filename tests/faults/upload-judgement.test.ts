import { describe, expect, it } from 'vitest'
import type { PartTry } from './part-record.ts'
import { faultsOf } from './upload-judgement.ts'

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

describe('an upload over a line that is cut', () => {
  it('may send a part again for each cut in which it was under way', () => {
    const tries = [lost(1, 1), lost(2, 1), lost(1, 2), taken(1), taken(2)]
    expect(judged(2, 2, tries)).toEqual([])
  })

  it('need not send a part again whose answer was lost', () => {
    const unanswered = { ...taken(1), isTaken: false, lostByCut: 1 }
    expect(judged(2, 1, [unanswered, taken(2)])).toEqual([])
  })

  it.each([
    ['part 1 was sent 2 times, under way in 0 cuts', [lost(2, 1), lost(1, undefined)]],
    ['part 1 was sent 3 times, under way in 1 cuts', [lost(1, 1), lost(1, 1)]],
    ['part 1 was sent again after storage had it', [lost(1, 1), taken(1)]],
  ])('is at fault: %s', (fault, before) => {
    expect(judged(2, 1, [...before, taken(1), taken(2)])).toContain(fault)
  })

  it('is at fault: a cut costs more than was under way', () => {
    const numbers = [1, 2, 3, 4, 5]
    const tries = [...numbers.map((number) => lost(number, 1)), ...numbers.map(taken)]
    expect(judged(5, 1, tries)).toContain('cut 1 cost 5 parts, at most 4 may be')
  })

  it('is at fault: a part that never arrived, and a cut that hit nothing', () => {
    expect(judged(2, 1, [taken(1), lost(2, undefined)])).toEqual([
      'nothing was under way when the line was cut',
      'part 2 was never sent whole',
    ])
  })
})
