import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { SpanKind, traced } from '../observability/tracing.ts'
import { isNotFound, isStorageUnavailable, responseWithoutBody } from './availability.ts'

export type AccessKey = { readonly accessKeyId: string; readonly secretAccessKey: string }

export type StorageOptions = AccessKey & {
  /** Storage URL for the service; `publicEndpoint` is the one for clients. */
  readonly endpoint: string
  readonly publicEndpoint: string
  readonly region: string
  /** Key that signs upload forms and part URLs, and may only put objects. Default: the main key. */
  readonly uploadKey?: AccessKey | undefined
  readonly uploadsBucket: string
  readonly mediaBucket: string
  /** Whether storage accepts signed POST forms; otherwise every file is uploaded in parts. */
  readonly supportsForms: boolean
  /** Whether versioning is enabled on the uploads bucket; required only with signed forms. */
  readonly keepsVersions: boolean
  /** True for copying large objects over slow connections: only an idle timeout applies to requests. */
  readonly isCopying?: boolean
  /** Called after the response headers of each request; the body may still be transferred. */
  readonly onResponse?: (operation: string, outcome: StorageOutcome, seconds: number) => void
}

/** Returns the options of a client that signs like the URLs and forms for clients. */
export const withUploadKey = (options: StorageOptions): StorageOptions => ({ ...options, ...options.uploadKey })

export type StorageOutcome = 'ok' | 'not_found' | 'unavailable' | 'rejected'

/** Maximum time for a response: Ceph may stall while it recovers. */
export const REQUEST_TIMEOUT_SECONDS = 20
export const CONNECT_TIMEOUT_SECONDS = 3

/**
 * Maximum idle time of a connection while copying. It is longer than Ceph stalls, and longer than the kernel needs to
 * send a buffered part over a slow shared connection.
 */
const COPY_IDLE_SECONDS_MAX = 120

/** Maximum number of attempts at a request: one retry, after a short pause. */
export const ATTEMPTS_MAX = 2

/** Maximum number of connections; further requests wait for a free one. */
const CONNECTIONS_MAX = 50

/** Maximum pages of a listing, with 1,000 entries each. */
export const PAGES_MAX = 1000

const requestTimeouts = {
  requestTimeout: REQUEST_TIMEOUT_SECONDS * 1000,
  throwOnRequestTimeout: true,
}
// No requestTimeout: the library would also wait that long for storage that never sends `100 Continue`.
const copyTimeouts = { socketTimeout: COPY_IDLE_SECONDS_MAX * 1000 }

/** Settings of all storage clients. */
export function clientConfig(endpoint: string, options: StorageOptions, connectionsMax = CONNECTIONS_MAX) {
  const { region, accessKeyId, secretAccessKey } = options
  return {
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    maxAttempts: ATTEMPTS_MAX,
    requestHandler: new NodeHttpHandler({
      httpAgent: { maxSockets: connectionsMax },
      httpsAgent: { maxSockets: connectionsMax },
      connectionTimeout: CONNECT_TIMEOUT_SECONDS * 1000,
      ...(options.isCopying ? copyTimeouts : requestTimeouts),
    }),
    // By default the library adds checksums that some storage services refuse or ignore.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  } satisfies S3ClientConfig
}

export const openClient = (endpoint: string, options: StorageOptions, connectionsMax?: number) =>
  new S3Client(clientConfig(endpoint, options, connectionsMax))

/** Like `openClient`, for a client that sends requests (not only signs URLs): each is timed and traced. */
export function openInstrumentedClient(endpoint: string, options: StorageOptions, connectionsMax?: number): S3Client {
  const client = openClient(endpoint, options, connectionsMax)
  client.middlewareStack.add(
    (next, { commandName = 'unknown' }) =>
      (request) =>
        instrumented(commandName.replace(/Command$/, ''), () => next(request), options.onResponse),
    { step: 'initialize', name: 'instrument' },
  )
  return client
}

/** Times and traces a request. */
export async function instrumented<Response>(
  operation: string,
  send: () => Promise<Response>,
  onResponse: StorageOptions['onResponse'],
): Promise<Response> {
  const work = () => timed(operation, send, onResponse)
  const getResponse = await traced(`storage ${operation}`, {}, work, SpanKind.CLIENT)
  return getResponse()
}

/**
 * Returns a function that returns the response or throws. The client also throws for "not found", which must not mark
 * the span as failed: the returned function throws it later, outside the span.
 */
async function timed<Response>(
  operation: string,
  send: () => Promise<Response>,
  onResponse: StorageOptions['onResponse'],
): Promise<() => Response> {
  const startedAt = performance.now()
  const report = (outcome: StorageOutcome) => onResponse?.(operation, outcome, (performance.now() - startedAt) / 1000)
  try {
    const response = await send()
    report('ok')
    return () => response
  } catch (error) {
    // A request that we aborted does not show whether storage is available.
    if (isAborted(error)) throw error
    const outcome = outcomeOf(error)
    report(outcome)
    if (outcome === 'unavailable' || outcome === 'rejected') throw error
    return () => {
      throw error
    }
  }
}

const isAborted = (error: unknown) => error instanceof Error && error.name === 'AbortError'

function outcomeOf(error: unknown): StorageOutcome {
  if (responseWithoutBody(error)) return 'ok'
  if (isStorageUnavailable(error)) return 'unavailable'
  return isNotFound(error) ? 'not_found' : 'rejected'
}

/** Storage quotes ETags in some responses and not in others. */
export const unquoted = (etag: string) => etag.replaceAll('"', '')
