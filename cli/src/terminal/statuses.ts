import type { Style } from './style.ts'

const colors = {
  Completed: 'green',
  delivered: 'green',
  made: 'green',
  Processing: 'cyan',
  Uploading: 'cyan',
  Queued: 'yellow',
  waiting: 'yellow',
  Error: 'red',
  Failed: 'red',
  failed: 'red',
} as const

/** Colors a status. Unknown statuses of later versions have no color. */
export function paintStatus(text: string, { paint }: Style): string {
  const color = colors[text.trim() as keyof typeof colors]
  return color ? paint(color, text) : text
}
