import { chapters as contract } from '@reelkeep/contract'
import { nearestTitle } from '../../kernel/title.ts'
import type { Probed } from '../assets/assets.ts'
import { latestStart, type NewChapter } from './chapters.rules.ts'

/**
 * The chapters that stand in a file, as chapters that could be added. A file may hold anything: starts out of order,
 * beyond the end or moments before the beginning, several in one second, titles that are missing or far too long.
 */
export function foundChapters({ chapters, durationSeconds }: Probed): NewChapter[] {
  const latest = latestStart(durationSeconds)
  const titles = new Map<number, string>()
  for (const { startSeconds, title } of chapters.toSorted(
    (a, b) => a.startSeconds - b.startSeconds,
  )) {
    const second = Math.max(0, Math.trunc(startSeconds))
    if (startSeconds <= -1 || second > latest || titles.has(second)) continue
    titles.set(second, title)
  }
  return [...titles]
    .slice(0, contract.CHAPTERS_PER_ASSET_MAX)
    .map(([startSeconds, title], index) => ({
      startSeconds,
      title: nearestTitle(title) || `Chapter ${index + 1}`,
    }))
}
