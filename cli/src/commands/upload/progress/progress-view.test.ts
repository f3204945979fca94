import { describe, expect, it } from 'vitest'
import { widthOf } from '../../../terminal/width.ts'
import { newTransfer, type Transfer, withArrived, withSent } from '../transfer.ts'
import { type Frame, renderProgress } from './progress-view.ts'

const frame: Frame = { columns: 100, rows: 24, at: 10, isWatching: false }

/** A transfer with 61 % sent after ten seconds, at 4 MB/s. */
const sending: Transfer = {
  ...newTransfer('talk.mp4', 100_000_000),
  sentBytes: 61_000_000,
  phase: 'sending',
  samples: [{ at: 8, sentBytes: 53_000_000 }],
}

describe('renderProgress', () => {
  it('shows progress, rate and remaining time', () => {
    const [line = ''] = renderProgress([sending], frame)
    expect(line).toMatch(/^talk\.mp4 {2}━+╸?─+ {2}61 % +4\.0 MB\/s +0:10 left$/)
  })

  it('shows upload and processing side by side', () => {
    const processing = { ...sending, phase: 'processing', processedPercent: 12 } as const
    const [head, line] = renderProgress([processing], { ...frame, isWatching: true })
    expect(head).toMatch(/^ +upload +processing$/)
    expect(line).toMatch(/^talk\.mp4 {2}━.*─ {2}61 % {2}━.*─ {2}12 %$/)
  })

  it('shows 100 % only for a complete file', () => {
    const nearly = { ...sending, sentBytes: 99_999_999 }
    expect(renderProgress([nearly], frame).join()).toContain('99 %')
    expect(renderProgress([{ ...sending, sentBytes: 100_000_000 }], frame).join()).toContain('100 %')
  })

  it('never exceeds the width of the terminal', () => {
    const names = ['talk.mp4', '会議の録画'.repeat(20), `${'👩‍👩‍👧‍👦'.repeat(30)}.mov`, 'é'.repeat(300)]
    for (const columns of [1, 10, 20, 39, 40, 59, 80, 81, 200])
      for (const isWatching of [true, false])
        for (const name of names) {
          const lines = renderProgress([{ ...sending, name }, sending], {
            ...frame,
            columns,
            isWatching,
          })
          for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(Math.max(1, columns - 1))
        }
  })

  it('shows percentages if there is no room for bars', () => {
    expect(renderProgress([sending], { ...frame, columns: 18 })).toEqual(['talk.…   61 %'])
  })

  it('shows active transfers and a summary', () => {
    const list = [
      ...Array.from({ length: 30 }, () => ({
        ...sending,
        sentBytes: 100_000_000,
        phase: 'done' as const,
      })),
      { ...sending, sentBytes: 0, phase: 'failed' as const },
      sending,
      ...Array.from({ length: 20 }, () => newTransfer('later.mp4', 100_000_000)),
    ]
    const lines = renderProgress(list, frame)
    expect(lines).toHaveLength(2)
    expect(lines[1]).toBe('30 of 52 files done, 1 failed, 3.1 GB of 5.2 GB sent, 58 %')
  })

  it('never exceeds the height of the terminal', () => {
    const many = Array.from({ length: 50 }, () => sending)
    expect(renderProgress(many, { ...frame, rows: 8, isWatching: true }).length).toBeLessThan(8)
  })

  it('shows that received parts are compared with the file', () => {
    const compared = withArrived(newTransfer('talk.mp4', 100_000_000), 61_000_000)
    expect(renderProgress([compared], { ...frame, at: 60 }).join()).toMatch(/61 % +comparing the file$/)
    const going = withSent(withSent(compared, 62_000_000, 60), 66_000_000, 61)
    expect(renderProgress([going], { ...frame, at: 61 }).join()).toMatch(/66 % +4\.0 MB\/s/)
  })

  it('shows that there is no progress', () => {
    const stuck = { ...sending, samples: [{ at: 8, sentBytes: 61_000_000 }] }
    expect(renderProgress([stuck], frame).join()).toContain('waiting for network')
  })
})
