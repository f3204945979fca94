/**
 * What one viewer may take of what all share. A piece that is sent holds a connection to storage
 * until its last byte is taken, so nobody takes all the time for one, and those of one organization
 * never hold all of them.
 *
 * A viewer may have gone while it was decided about him: his answer is destroyed, and tells nobody
 * of its closing any more.
 */
import type { ServerResponse } from 'node:http'
import type { OrganizationId } from '../../kernel/ids.ts'
import { tooMuchWork } from '../../platform/db/overload.ts'

/** Of the 500 connections to storage. Storage and lines are fast: this is thousands of viewers. */
const PIECES_AT_ONCE_MAX = 250

/**
 * A line that is slower than this plays nothing of ours: the smallest picture and its sound are
 * several times as much.
 */
const BITS_PER_SECOND_MIN = 64_000
const GRACE_SECONDS = 60

/** A viewer who takes nothing for so long is hung up on, and the connection to storage is free for another. */
const STALL_SECONDS = 60

export const sendingSecondsMax = (bytes: number) =>
  GRACE_SECONDS + Math.ceil((bytes * 8) / BITS_PER_SECOND_MIN)

/** Pieces that are being sent, by the organization whose they are. */
export class Viewers {
  readonly #piecesMax: number
  readonly #pieces = new Map<OrganizationId, number>()

  constructor(piecesMax: number = PIECES_AT_ONCE_MAX) {
    this.#piecesMax = piecesMax
  }

  /** Until the answer is sent, or its viewer has gone. Refuses one too many. */
  admit(organizationId: OrganizationId, answer: ServerResponse): void {
    if (answer.destroyed) return
    const pieces = this.#pieces.get(organizationId) ?? 0
    if (pieces >= this.#piecesMax) throw tooMuchWork()
    this.#pieces.set(organizationId, pieces + 1)
    answer.once('close', () => this.#release(organizationId))
  }

  #release(organizationId: OrganizationId): void {
    const pieces = (this.#pieces.get(organizationId) ?? 0) - 1
    if (pieces > 0) this.#pieces.set(organizationId, pieces)
    else this.#pieces.delete(organizationId)
  }
}

/** Aborted when the viewer has gone, or takes nothing: then nothing more is read from storage. */
export function untilHungUp(answer: ServerResponse): AbortSignal {
  if (answer.destroyed) return AbortSignal.abort()
  const controller = new AbortController()
  answer.once('close', () => controller.abort())
  answer.setTimeout(STALL_SECONDS * 1000, () => answer.destroy())
  return controller.signal
}

/** Whoever takes a byte now and then is never still, but is hung up on when the time is up. */
export function hangUpAfter(answer: ServerResponse, seconds: number): void {
  if (answer.destroyed) return
  const timer = setTimeout(() => answer.destroy(), seconds * 1000)
  answer.once('close', () => clearTimeout(timer))
}
