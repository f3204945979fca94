/**
 * Answers that go on for as long as somebody listens. Pieces are made when there is room for them:
 * who reads slowly is sent less, and nothing gathers here. Who does not read at all is hung up on.
 */
import { Readable } from 'node:stream'
import type { Line, StreamAnswer } from '@reelkeep/contract'
import type { FastifyReply } from 'fastify'

export function sendStream(
  reply: FastifyReply,
  mediaType: string,
  { open, stallSecondsMax }: StreamAnswer,
): FastifyReply {
  const line = lineOf(reply)
  const pieces = reply.request.method === 'HEAD' ? nothing() : open(line)
  // One piece waits to be taken, not sixteen.
  const body = Readable.from(watched(pieces, stallSecondsMax, line.hangUp), { highWaterMark: 1 })
  return (
    reply
      .header('Content-Type', `${mediaType}; charset=utf-8`)
      // A proxy would gather pieces until it has a lot of them.
      .header('X-Accel-Buffering', 'no')
      .send(body)
  )
}

async function* nothing(): AsyncGenerator<string> {}

function lineOf({ raw }: FastifyReply): Line {
  const closing = new AbortController()
  if (raw.destroyed) closing.abort()
  else raw.once('close', () => closing.abort())
  return { gone: closing.signal, hangUp: () => raw.destroy() }
}

/** Says when a piece is not taken in time. */
async function* watched(
  pieces: AsyncIterable<string>,
  stallSecondsMax: number,
  onStall: () => void,
): AsyncGenerator<string> {
  for await (const piece of pieces) {
    const timer = setTimeout(onStall, stallSecondsMax * 1000)
    try {
      yield piece
    } finally {
      clearTimeout(timer)
    }
  }
}
