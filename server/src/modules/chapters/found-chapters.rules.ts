import { chapters as contract } from '@reelkeep/contract'
import { toValidTitle } from '../../kernel/title.ts'
import type { Probed } from '../assets/assets.ts'
import { latestStart, type NewChapter } from './chapters.rules.ts'

/**
 * Turns the chapters in a file into valid ones. A file may have starts out of order, after the end or just before the
 * beginning, several in one second, and missing or overlong titles.
 */
export function foundChapters({ chapters, durationSeconds }: Probed): NewChapter[] {
  const latest = latestStart(durationSeconds)
  const titles = new Map<number, string>()
  for (const { startSeconds, title } of chapters.toSorted((a, b) => a.startSeconds - b.startSeconds)) {
    const second = Math.max(0, Math.trunc(startSeconds))
    if (startSeconds <= -1 || second > latest || titles.has(second)) continue
    titles.set(second, title)
  }
  return [...titles].slice(0, contract.CHAPTERS_PER_ASSET_MAX).map(([startSeconds, title], index) => ({
    startSeconds,
    title: toValidTitle(title) || `Chapter ${index + 1}`,
  }))
}
