import { describe, expect, it } from 'vitest'
import { widthOf } from '../../terminal/width.ts'
import { drawBoard, type Frame } from './board.ts'
import { newTransfer, type Transfer, withArrived, withSent } from './transfer.ts'

const frame: Frame = { columns: 100, rows: 24, at: 10, isWatching: false }

/** 61 % after ten seconds, at 4 MB a second. */
const sending: Transfer = {
  ...newTransfer('talk.mp4', 100_000_000),
  sentBytes: 61_000_000,
  stage: 'sending',
  looks: [{ at: 8, sentBytes: 53_000_000 }],
}

describe('a board of uploads', () => {
  it('shows how much was sent, how fast, and how long it takes', () => {
    const [line = ''] = drawBoard([sending], frame)
    expect(line).toMatch(/^talk\.mp4 {2}━+╸?─+ {2}61 % +4\.0 MB\/s +0:10 left$/)
  })

  it('shows upload and processing side by side', () => {
    const processing = { ...sending, stage: 'processing', processedPercent: 12 } as const
    const [head, line] = drawBoard([processing], { ...frame, isWatching: true })
    expect(head).toMatch(/^ +upload +processing$/)
    expect(line).toMatch(/^talk\.mp4 {2}━.*─ {2}61 % {2}━.*─ {2}12 %$/)
  })

  it('says 100 % of nothing that is not whole', () => {
    const nearly = { ...sending, sentBytes: 99_999_999 }
    expect(drawBoard([nearly], frame).join()).toContain('99 %')
    expect(drawBoard([{ ...sending, sentBytes: 100_000_000 }], frame).join()).toContain('100 %')
  })

  it('stays within the terminal, whatever is in the name', () => {
    const names = [
      'talk.mp4',
      '会議の録画'.repeat(20),
      `${'👩‍👩‍👧‍👦'.repeat(30)}.mov`,
      'é'.repeat(300),
    ]
    for (const columns of [1, 10, 20, 39, 40, 59, 80, 81, 200])
      for (const isWatching of [true, false])
        for (const name of names) {
          const lines = drawBoard([{ ...sending, name }, sending], {
            ...frame,
            columns,
            isWatching,
          })
          for (const line of lines)
            expect(widthOf(line)).toBeLessThanOrEqual(Math.max(1, columns - 1))
        }
  })

  it('still says the percents where there is no room for bars', () => {
    expect(drawBoard([sending], { ...frame, columns: 18 })).toEqual(['talk.…   61 %'])
  })

  it('shows those under way and a sum of all', () => {
    const list = [
      ...Array.from({ length: 30 }, () => ({
        ...sending,
        sentBytes: 100_000_000,
        stage: 'done' as const,
      })),
      { ...sending, sentBytes: 0, stage: 'failed' as const },
      sending,
      ...Array.from({ length: 20 }, () => newTransfer('later.mp4', 100_000_000)),
    ]
    const lines = drawBoard(list, frame)
    expect(lines).toHaveLength(2)
    expect(lines[1]).toBe('30 of 52 files done, 1 failed, 3.1 GB of 5.2 GB sent, 58 %')
  })

  it('has no more lines than the terminal has rows', () => {
    const many = Array.from({ length: 50 }, () => sending)
    expect(drawBoard(many, { ...frame, rows: 8, isWatching: true }).length).toBeLessThan(8)
  })

  it('does not blame the line while what has arrived is compared with the file', () => {
    const compared = withArrived(newTransfer('talk.mp4', 100_000_000), 61_000_000)
    expect(drawBoard([compared], { ...frame, at: 60 }).join()).toMatch(/61 % +comparing the file$/)
    const going = withSent(withSent(compared, 62_000_000, 60), 66_000_000, 61)
    expect(drawBoard([going], { ...frame, at: 61 }).join()).toMatch(/66 % +4\.0 MB\/s/)
  })

  it('says so when nothing gets through any more', () => {
    const stuck = { ...sending, looks: [{ at: 8, sentBytes: 61_000_000 }] }
    expect(drawBoard([stuck], frame).join()).toContain('waiting for the line')
  })
})
