import type { Look } from './look.ts'

const colours = {
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

/** Later versions of the service may say others; they have no colour. */
export function paintStatus(text: string, { paint }: Look): string {
  const colour = colours[text.trim() as keyof typeof colours]
  return colour ? paint(colour, text) : text
}
