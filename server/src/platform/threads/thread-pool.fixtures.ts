import { threadId } from 'node:worker_threads'
import type { Parser } from './thread-pool.ts'

type Described = { readonly length: number; readonly threadId: number }

export function describeText({ text }: { readonly text: string }): Described {
  if (text.startsWith('throw')) throw new Error('cannot parse')
  return { length: text.length, threadId }
}

export const describer: Parser<{ readonly text: string }, Described> = {
  file: new URL(import.meta.url),
  parse: describeText,
}
