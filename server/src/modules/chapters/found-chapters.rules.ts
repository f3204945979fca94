import { chapters as contract } from '@reelkeep/contract'
import { toValidTitle } from '../../kernel/title.ts'
import type { Probed } from '../assets/assets.ts'
import { isWithin, type NewChapter } from './chapters.rules.ts'
import { wholeMilliseconds } from './timecodes.rules.ts'

/**
 * Turns the chapters in a file into valid ones. A file may have starts out of order, after the end or just before the
 * beginning, several at the same time, and missing or overlong titles.
 */
export function foundChapters({ chapters, durationSeconds }: Probed): NewChapter[] {
  const titles = new Map<number, string>()
  for (const { startSeconds, title } of chapters.toSorted((a, b) => a.startSeconds - b.startSeconds)) {
    const start = Math.max(0, wholeMilliseconds(startSeconds))
    if (startSeconds <= -1 || !isWithin(start, durationSeconds) || titles.has(start)) continue
    titles.set(start, title)
  }
  return [...titles].slice(0, contract.CHAPTERS_PER_ASSET_MAX).map(([startSeconds, title], index) => ({
    startSeconds,
    title: toValidTitle(title) || `Chapter ${index + 1}`,
  }))
}
