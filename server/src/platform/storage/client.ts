import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { SpanKind, traced } from '../observability/tracing.ts'
import { insteadOfBytes, isAbsent, isStorageAway } from './availability.ts'

export type StorageOptions = {
  /** How the service reaches storage, and how its callers do. */
  readonly endpoint: string
  readonly publicEndpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly uploadsBucket: string
  readonly mediaBucket: string
  /** Signed forms are taken; otherwise every file comes in parts. */
  readonly takesForms: boolean
  /** The uploads bucket keeps versions; it need not where no forms are taken. */
  readonly keepsVersions: boolean
  /** For who copies large objects, over lines of any speed: a request may take as long as something moves. */
  readonly isCopying?: boolean
  /** Told of each question to storage; an object's bytes may come after its answer. */
  readonly onAnswer?: (operation: string, outcome: StorageOutcome, seconds: number) => void
}

export type StorageOutcome = 'fine' | 'absent' | 'away' | 'refused'

/** Ceph stalls rather than fails while it heals: an answer may take this long and still come. */
const REQUEST_TIMEOUT_SECONDS = 20
const CONNECT_TIMEOUT_SECONDS = 3

/**
 * Longer than Ceph stalls, and than the last of a part takes that the kernel has already, when the
 * others share a slow line with it.
 */
const COPY_IDLE_SECONDS_MAX = 120

/** The first try and one more, the library's own back-off between them; who asked may ask again. */
const ATTEMPTS_MAX = 2

/** What is asked for beyond them waits until one is free. */
const CONNECTIONS_MAX = 50

/** Pages read of any list of storage's, of a thousand entries each. */
export const PAGES_MAX = 1000

const prompt = { requestTimeout: REQUEST_TIMEOUT_SECONDS * 1000, throwOnRequestTimeout: true }
// Without a requestTimeout, however long: the library would wait as long for a storage that never
// says that a part may come.
const patient = { socketTimeout: COPY_IDLE_SECONDS_MAX * 1000 }

/** Settings that every client of storage needs, whatever it asks for. */
export function clientConfig(
  endpoint: string,
  options: StorageOptions,
  connectionsMax = CONNECTIONS_MAX,
) {
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
      ...(options.isCopying ? patient : prompt),
    }),
    // The library would otherwise add checksums that many a storage refuses or ignores.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  } satisfies S3ClientConfig
}

export const openClient = (endpoint: string, options: StorageOptions, connectionsMax?: number) =>
  new S3Client(clientConfig(endpoint, options, connectionsMax))

/**
 * As `openClient`, for who asks storage and does not only sign: each question is timed, and a piece
 * of what is traced.
 */
export function openWatchedClient(
  endpoint: string,
  options: StorageOptions,
  connectionsMax?: number,
): S3Client {
  const client = openClient(endpoint, options, connectionsMax)
  client.middlewareStack.add(
    (next, { commandName = 'unknown' }) =>
      async (question) => {
        const operation = commandName.replace(/Command$/, '')
        const ask = () => timed(operation, () => next(question), options.onAnswer)
        const hear = await traced(`storage ${operation}`, {}, ask, SpanKind.CLIENT)
        return hear()
      },
    { step: 'initialize', name: 'watch' },
  )
  return client
}

/**
 * Answers what is to be heard of it. That something is not there is an answer as well, which the
 * client throws: it is thrown to who hears it, and nothing has failed.
 */
async function timed<Answer>(
  operation: string,
  ask: () => Promise<Answer>,
  onAnswer: StorageOptions['onAnswer'],
): Promise<() => Answer> {
  const begun = performance.now()
  const tell = (outcome: StorageOutcome) =>
    onAnswer?.(operation, outcome, (performance.now() - begun) / 1000)
  try {
    const answer = await ask()
    tell('fine')
    return () => answer
  } catch (error) {
    // Whoever hangs up on storage because nobody wants the answer any more has learnt nothing about it.
    if (isGivenUp(error)) throw error
    const outcome = outcomeOf(error)
    tell(outcome)
    if (outcome === 'away' || outcome === 'refused') throw error
    return () => {
      throw error
    }
  }
}

const isGivenUp = (error: unknown) => error instanceof Error && error.name === 'AbortError'

function outcomeOf(error: unknown): StorageOutcome {
  if (insteadOfBytes(error)) return 'fine'
  if (isStorageAway(error)) return 'away'
  return isAbsent(error) ? 'absent' : 'refused'
}
