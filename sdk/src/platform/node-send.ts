/**
 * One request to storage by Node's own client: with a real length, at the pace of the line, and
 * never idle for long.
 */
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest, Agent as TlsAgent } from 'node:https'
import { ConnectionError, ReelkeepError } from '../http/errors.ts'
import { watchOver } from './time-limits.ts'
import type { Manner, StorageAnswer } from './transfer.ts'

/**
 * Storage says first whether it wants the body, so that a refusal is read before the bytes are
 * sent, and not lost with a line that it hangs up. Who does not know the question does not answer
 * it.
 */
const CONTINUE_SECONDS_MAX = 1

/** A refusal is a few lines; what is longer is not storage's. */
const ANSWER_BYTES_MAX = 64 * 1024

export type Agents = { readonly plain: Agent; readonly tls: TlsAgent }

export const newAgents = (): Agents => ({
  plain: new Agent({ keepAlive: true }),
  tls: new TlsAgent({ keepAlive: true }),
})

export function closeAgents({ plain, tls }: Agents): void {
  plain.destroy()
  tls.destroy()
}

type Outgoing = {
  readonly method: 'POST' | 'PUT'
  readonly url: string
  readonly headers: Readonly<Record<string, string | number>>
  /** From the first one on, as often as it is called; each is used up before the next one is asked for. */
  readonly pieces: () => AsyncIterable<Uint8Array>
}

const EXPECTATION_FAILED = 417

/** `onSent` is told every byte of the body that the system has taken over. */
export async function sendPieces(
  outgoing: Outgoing,
  manner: Manner,
  agents: Agents,
): Promise<StorageAnswer> {
  const expect = { ...outgoing.headers, expect: '100-continue' }
  const answer = await sendOnce({ ...outgoing, headers: expect }, manner, agents)
  // Some proxies refuse the question instead of passing it on.
  return answer.status === EXPECTATION_FAILED ? sendOnce(outgoing, manner, agents) : answer
}

async function sendOnce(
  { method, url, headers, pieces }: Outgoing,
  { onSent, signal, idleSeconds }: Manner,
  agents: Agents,
): Promise<StorageAnswer> {
  signal.throwIfAborted()
  const isTls = url.startsWith('https:')
  const request = (isTls ? httpsRequest : httpRequest)(url, {
    method,
    headers,
    agent: isTls ? agents.tls : agents.plain,
  })
  const watch = watchOver(url, idleSeconds, (late) => request.destroy(late))
  const stop = () => request.destroy(new Error('stopped'))
  signal.addEventListener('abort', stop, { once: true })
  try {
    const answer = answerTo(request, url, () => watch.moved(0))
    const writing = writeAll(request, pieces(), { onHandedOver: watch.moved, onSent })
    // Storage may answer before it has everything; then the rest is not sent.
    return await Promise.race([answer, writing.then(() => answer)])
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    watch.end()
    signal.removeEventListener('abort', stop)
    // Without effect on one that is complete; its line is kept for the next.
    if (!request.writableFinished) request.destroy()
  }
}

type Listeners = {
  /** So many bytes are under way, or have arrived. */
  readonly onHandedOver: (bytes: number) => void
  /** The system has taken so many over. */
  readonly onSent: (bytes: number) => void
}

/** Ends early when the request is over; what became of it is told by its answer. */
async function writeAll(
  request: ClientRequest,
  pieces: AsyncIterable<Uint8Array>,
  { onHandedOver, onSent }: Listeners,
): Promise<void> {
  const over = new AbortController()
  for (const event of ['response', 'close']) request.once(event, () => over.abort())
  if (request.hasHeader('expect')) await wanted(request)
  let sent = 0
  for await (const piece of pieces) {
    if (over.signal.aborted) return
    sent += piece.length
    onHandedOver(sent)
    if (!(await isWritten(request, piece))) return
    onHandedOver(sent)
    onSent(sent)
  }
  request.end()
}

/** Until storage asks for the body, refuses it, or does not care. */
function wanted(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, CONTINUE_SECONDS_MAX * 1000)
    for (const event of ['continue', 'response', 'close']) {
      request.once(event, () => {
        clearTimeout(timer)
        resolve()
      })
    }
  })
}

const isWritten = (request: ClientRequest, piece: Uint8Array): Promise<boolean> =>
  new Promise((resolve) => {
    request.write(piece, (error) => resolve(!error))
  })

function answerTo(request: ClientRequest, url: string, moved: () => void): Promise<StorageAnswer> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(error instanceof ReelkeepError ? error : lost(url, error))
    request.on('error', fail)
    request.on('close', () => fail(new Error('no answer')))
    request.on('response', (response: IncomingMessage) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('error', fail)
      response.on('data', (chunk: string) => {
        moved()
        if (text.length < ANSWER_BYTES_MAX) text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
  })
}

const lost = (url: string, cause: Error) =>
  new ConnectionError(`${new URL(url).host} cannot be reached, or hung up: ${cause.message}.`, {
    cause,
  })
