/** Start position given by the URL fragment: `#t=1m30s` or `#chapter=2`. */
import type { Chapter } from '../about.ts'
import { parseTime } from './time.ts'

export function linkedTime(hash: string, chapters: readonly Chapter[]): number | undefined {
  const params = new URLSearchParams(hash.replace(/^#/, ''))
  const time = parseTime(params.get('t') ?? '')
  if (time !== undefined) return time
  const number = Number(params.get('chapter') ?? 0)
  return chapters[number - 1]?.start
}
