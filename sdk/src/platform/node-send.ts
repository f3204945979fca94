/**
 * Sends one request to storage with Node's own client: with a content length, with backpressure and with an idle
 * timeout.
 */
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest, Agent as TlsAgent } from 'node:https'
import { ConnectionError, ReelkeepError } from '../http/errors.ts'
import { watchIdle } from './time-limits.ts'
import type { StorageResponse, TransferOptions } from './transfer.ts'

/**
 * How long to wait for `100 Continue`. With it, an error response is read before the body is sent, instead of being
 * lost when storage closes the connection. Servers that do not support it do not reply.
 */
const CONTINUE_SECONDS_MAX = 1

/** Maximum number of bytes to read from a response; error responses of storage are short. */
const RESPONSE_BYTES_MAX = 64 * 1024

export type Agents = { readonly plain: Agent; readonly tls: TlsAgent }

export const newAgents = (): Agents => ({
  plain: new Agent({ keepAlive: true }),
  tls: new TlsAgent({ keepAlive: true }),
})

export function closeAgents({ plain, tls }: Agents): void {
  plain.destroy()
  tls.destroy()
}

type OutgoingRequest = {
  readonly method: 'POST' | 'PUT'
  readonly url: string
  readonly headers: Readonly<Record<string, string | number>>
  /** Yields the body, from the beginning on every call. A chunk is consumed before the next one is read. */
  readonly chunks: () => AsyncIterable<Uint8Array>
}

const EXPECTATION_FAILED = 417

/** Sends a request. `onSent` receives the number of body bytes that the operating system has accepted. */
export async function sendChunks(
  outgoing: OutgoingRequest,
  options: TransferOptions,
  agents: Agents,
): Promise<StorageResponse> {
  const expect = { ...outgoing.headers, expect: '100-continue' }
  const answer = await sendOnce({ ...outgoing, headers: expect }, options, agents)
  // Some proxies reject the Expect header.
  return answer.status === EXPECTATION_FAILED ? sendOnce(outgoing, options, agents) : answer
}

async function sendOnce(
  { method, url, headers, chunks }: OutgoingRequest,
  { onSent, signal, idleSeconds }: TransferOptions,
  agents: Agents,
): Promise<StorageResponse> {
  signal.throwIfAborted()
  const isTls = url.startsWith('https:')
  const request = (isTls ? httpsRequest : httpRequest)(url, {
    method,
    headers,
    agent: isTls ? agents.tls : agents.plain,
  })
  const watch = watchIdle(url, idleSeconds, (late) => request.destroy(late))
  const stop = () => request.destroy(new Error('stopped'))
  signal.addEventListener('abort', stop, { once: true })
  try {
    const answer = responseTo(request, url, () => watch.progressed(0))
    const writing = writeAll(request, chunks(), { onBuffered: watch.progressed, onSent })
    // Storage may respond before it has received everything; the rest is then not sent.
    return await Promise.race([answer, writing.then(() => answer)])
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    watch.end()
    signal.removeEventListener('abort', stop)
    // The connection of a complete request is reused.
    if (!request.writableFinished) request.destroy()
  }
}

type Listeners = {
  /** Number of bytes passed to the socket so far. */
  readonly onBuffered: (bytes: number) => void
  /** Number of bytes that the operating system has accepted so far. */
  readonly onSent: (bytes: number) => void
}

/** Writes the body. Stops early when the request has ended; the result is in the response. */
async function writeAll(
  request: ClientRequest,
  chunks: AsyncIterable<Uint8Array>,
  { onBuffered, onSent }: Listeners,
): Promise<void> {
  const over = new AbortController()
  for (const event of ['response', 'close']) request.once(event, () => over.abort())
  if (request.hasHeader('expect')) await waitForContinue(request)
  let sent = 0
  for await (const chunk of chunks) {
    if (over.signal.aborted) return
    sent += chunk.length
    onBuffered(sent)
    if (!(await isWritten(request, chunk))) return
    onBuffered(sent)
    onSent(sent)
  }
  request.end()
}

/** Waits until storage requests the body, responds, or does not react in time. */
function waitForContinue(request: ClientRequest): Promise<void> {
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

const isWritten = (request: ClientRequest, chunk: Uint8Array): Promise<boolean> =>
  new Promise((resolve) => {
    request.write(chunk, (error) => resolve(!error))
  })

function responseTo(request: ClientRequest, url: string, progressed: () => void): Promise<StorageResponse> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(error instanceof ReelkeepError ? error : connectionError(url, error))
    request.on('error', fail)
    request.on('close', () => fail(new Error('no response')))
    request.on('response', (response: IncomingMessage) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('error', fail)
      response.on('data', (chunk: string) => {
        progressed()
        if (text.length < RESPONSE_BYTES_MAX) text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
  })
}

const connectionError = (url: string, cause: Error) =>
  new ConnectionError(`Lost the connection to ${new URL(url).host}: ${cause.message}.`, {
    cause,
  })
