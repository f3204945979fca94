/**
 * Long-lived streamed responses. Chunks are produced with backpressure: a slow client gets fewer, and nothing is
 * buffered here. A client that does not read is disconnected.
 */
import { Readable } from 'node:stream'
import type { StreamClient, StreamResponse } from '@reelkeep/contract'
import type { FastifyReply } from 'fastify'

export function sendStream(
  reply: FastifyReply,
  mediaType: string,
  { open, stallSecondsMax }: StreamResponse,
): FastifyReply {
  const client = clientOf(reply)
  const chunks = reply.request.method === 'HEAD' ? nothing() : open(client)
  // Buffers one chunk instead of Node's default of 16.
  const body = Readable.from(disconnectOnStall(chunks, stallSecondsMax, client.disconnect), {
    highWaterMark: 1,
  })
  return (
    reply
      .header('Content-Type', `${mediaType}; charset=utf-8`)
      // Disables buffering in nginx.
      .header('X-Accel-Buffering', 'no')
      .send(body)
  )
}

async function* nothing(): AsyncGenerator<string> {}

function clientOf({ raw }: FastifyReply): StreamClient {
  const closing = new AbortController()
  if (raw.destroyed) closing.abort()
  else raw.once('close', () => closing.abort())
  return { disconnected: closing.signal, disconnect: () => raw.destroy() }
}

/** Calls `onStall` if the client does not read a chunk in time. */
async function* disconnectOnStall(
  chunks: AsyncIterable<string>,
  stallSecondsMax: number,
  onStall: () => void,
): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    const timer = setTimeout(onStall, stallSecondsMax * 1000)
    try {
      yield chunk
    } finally {
      clearTimeout(timer)
    }
  }
}
