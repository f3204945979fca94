/** A place in a video, as an address tells it: `#t=1m30s` or `#chapter=2`. */
import type { Chapter } from './about.ts'
import { parseTime } from './time.ts'

export function placeOf(hash: string, chapters: readonly Chapter[]): number | undefined {
  const told = new URLSearchParams(hash.replace(/^#/, ''))
  const time = parseTime(told.get('t') ?? '')
  if (time !== undefined) return time
  const number = Number(told.get('chapter') ?? 0)
  return chapters[number - 1]?.start
}
