/** Reads objects for viewers. It needs a fraction of the CPU time of the client of AWS's library. */
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { S3ServiceException } from '@aws-sdk/client-s3'
import { type Dispatcher, Pool } from 'undici'
import { isStorageUnavailable, StorageUnreachable } from '../availability.ts'
import {
  ATTEMPTS_MAX,
  CONNECT_TIMEOUT_SECONDS,
  instrumented,
  REQUEST_TIMEOUT_SECONDS,
  type StorageOptions,
} from '../client.ts'
import { encodedKey, type ReadRequest, RequestSigner } from './signature.ts'

export type ReadOptions = {
  /** HTTP range header: "bytes=0-99". Undefined for the whole object. */
  readonly range: string | undefined
  /** ETag that the caller already has. If the object still has it, storage responds with 304. */
  readonly knownEtag: string | undefined
}

type FoundObject = {
  /** Quoted, as in the HTTP header. */
  readonly etag: string
  /** Length of the body. */
  readonly bytes: number
  /** Content-Range of the response, such as "bytes 0-99/1000"; undefined for the whole object. */
  readonly contentRange: string | undefined
  readonly body: Readable
  /** Reads the body into memory, instead of streaming it. */
  readAll(): Promise<Uint8Array>
}

const RETRY_MILLISECONDS = 100
/** Maximum length of an error response that is read. */
const ERROR_LENGTH_MAX = 16_384

export class ObjectReader {
  readonly #pool: Pool
  readonly #host: string
  readonly #folder: string
  readonly #signer: RequestSigner
  readonly #onResponse: StorageOptions['onResponse']

  constructor(options: StorageOptions, bucket: string, connectionsMax: number) {
    const { origin, host, pathname } = new URL(options.endpoint)
    this.#pool = new Pool(origin, {
      connections: connectionsMax,
      connect: { timeout: CONNECT_TIMEOUT_SECONDS * 1000 },
      headersTimeout: REQUEST_TIMEOUT_SECONDS * 1000,
      bodyTimeout: REQUEST_TIMEOUT_SECONDS * 1000,
    })
    this.#host = host
    this.#folder = `${pathname.replace(/\/$/, '')}/${bucket}/`
    this.#signer = new RequestSigner(options)
    this.#onResponse = options.onResponse
  }

  /** Streams an object. Throws the errors of the S3 client, for every response but 200 and 206. */
  get(key: string, { range, knownEtag }: ReadOptions, signal: AbortSignal): Promise<FoundObject> {
    const headers = { ...(range && { range }), ...(knownEtag && { 'if-none-match': knownEtag }) }
    return instrumented('GetObject', () => this.#send(this.#requestOf('GET', key), headers, signal), this.#onResponse)
  }

  /** Like `get`, without the body. */
  async head(key: string, signal: AbortSignal): Promise<Omit<FoundObject, 'body' | 'readAll'>> {
    const send = () => this.#send(this.#requestOf('HEAD', key), {}, signal)
    const { body, readAll: _, ...found } = await instrumented('HeadObject', send, this.#onResponse)
    body.resume()
    return found
  }

  close(): void {
    void this.#pool.destroy()
  }

  #requestOf(method: ReadRequest['method'], key: string): ReadRequest {
    return { method, host: this.#host, path: this.#folder + encodedKey(key) }
  }

  async #send(request: ReadRequest, headers: Record<string, string>, signal: AbortSignal): Promise<FoundObject> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#sendOnce(request, headers, signal)
      } catch (error) {
        if (attempt === ATTEMPTS_MAX || !isStorageUnavailable(error)) throw error
        await sleep(RETRY_MILLISECONDS * Math.random(), undefined, { signal })
      }
    }
  }

  async #sendOnce(request: ReadRequest, headers: Record<string, string>, signal: AbortSignal): Promise<FoundObject> {
    const { method, path } = request
    const signed = { ...headers, ...(await this.#signer.headers(request)) }
    const response = await this.#pool.request({ method, path, headers: signed, signal }).catch(toUnreachable)
    // Without a listener, the error of a body that nobody reads, or that is destroyed early, would end the process.
    response.body.on('error', () => undefined)
    if (response.statusCode >= 300) throw await errorOf(response)
    const { etag, 'content-length': bytes, 'content-range': contentRange } = response.headers
    return {
      etag: String(etag ?? ''),
      bytes: Number(bytes ?? 0),
      contentRange: contentRange?.toString(),
      body: response.body,
      readAll: () => response.body.bytes().catch(toUnreachable),
    }
  }
}

function toUnreachable(error: unknown): never {
  if (!(error instanceof Error) || error.name === 'AbortError') throw error
  throw new StorageUnreachable(error.message, { cause: error })
}

/** Returns the error that the S3 client would throw. Only the body of a 404 shows whether the bucket is missing. */
async function errorOf({ statusCode, body }: Dispatcher.ResponseData): Promise<S3ServiceException> {
  const text = statusCode === 404 ? await textOf(body) : await body.dump().then(() => '')
  const name = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? 'UnknownError'
  const $metadata = { httpStatusCode: statusCode }
  return new S3ServiceException({ name, $fault: statusCode < 500 ? 'client' : 'server', $metadata })
}

async function textOf(body: Readable): Promise<string> {
  let text = ''
  for await (const chunk of body.setEncoding('utf8')) {
    text += chunk
    if (text.length > ERROR_LENGTH_MAX) break
  }
  return text
}
