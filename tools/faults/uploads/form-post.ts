/** Posts the signed form at a given pace, and optionally stops in the middle. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { uploadSessions } from '@reelkeep/contract'
import { formOf, PacedPost } from '@reelkeep/testkit'

export type Pace = {
  /** The file is sent in this many chunks, with this pause before each. */
  readonly pieces: number
  readonly pauseMilliseconds: number
  /** Disconnects after this many of them. */
  readonly cutAfter?: number
}

export const atOnce: Pace = { pieces: 1, pauseMilliseconds: 0 }

/** Longer than storage may stall while it recovers. */
const PATIENCE_SECONDS = 90

/** The status of the response; undefined without one, so it is unknown whether the file was stored. */
export async function postForm(
  payload: uploadSessions.ClientPayload,
  file: Buffer,
  pace: Pace = atOnce,
): Promise<number | undefined> {
  const post = new PacedPost(formOf(payload, file))
  const tooLong = sleep(PATIENCE_SECONDS * 1000, undefined, { ref: false })
  const answer = await Promise.race([send(post, file.length, pace), tooLong]).catch(() => undefined)
  if (!answer) await post.cutOff()
  return answer?.status
}

async function send(post: PacedPost, bytes: number, { pieces, pauseMilliseconds, cutAfter }: Pace) {
  for (let piece = 0; piece < pieces; piece++) {
    if (piece === cutAfter) return undefined
    await sleep(pauseMilliseconds)
    await post.send(Math.ceil(bytes / pieces))
  }
  return post.finish()
}
