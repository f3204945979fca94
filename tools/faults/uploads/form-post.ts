/** Posts the signed form at a given pace, and optionally stops in the middle. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { uploadSessions } from '@reelkeep/contract'
import { formOf, PacedPost } from '@reelkeep/testkit'

export type Pace = {
  /** The file is sent in this many chunks, with this pause before each. */
  readonly chunks: number
  readonly pauseMilliseconds: number
  /** Disconnects after this many chunks. */
  readonly cutAfter?: number
}

export const atOnce: Pace = { chunks: 1, pauseMilliseconds: 0 }

/** Timeout of a post, longer than storage stalls while it recovers. */
const TIMEOUT_SECONDS = 90

/**
 * Returns the status of the response. If there was no response, returns undefined: the file may or may not be stored.
 */
export async function postForm(
  payload: uploadSessions.ClientPayload,
  file: Buffer,
  pace: Pace = atOnce,
): Promise<number | undefined> {
  const post = new PacedPost(formOf(payload, file))
  const timeout = sleep(TIMEOUT_SECONDS * 1000, undefined, { ref: false })
  const answer = await Promise.race([send(post, file.length, pace), timeout]).catch(() => undefined)
  if (!answer) await post.disconnect()
  return answer?.status
}

async function send(post: PacedPost, bytes: number, { chunks, pauseMilliseconds, cutAfter }: Pace) {
  for (let chunk = 0; chunk < chunks; chunk++) {
    if (chunk === cutAfter) return undefined
    await sleep(pauseMilliseconds)
    await post.send(Math.ceil(bytes / chunks))
  }
  return post.finish()
}
