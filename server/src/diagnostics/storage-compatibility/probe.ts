/** Probes whether the service can run on a storage. docs/operations/storage.md lists every name. */
import type { S3Client } from '@aws-sdk/client-s3'
import type { StorageOptions } from '../../platform/storage/client.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import type { UploadsBucket } from '../../platform/storage/uploads-bucket.ts'

/**
 * The consequence of a failure. `always`: the storage is unfit. `forms`, `versions`: files are uploaded in parts.
 * `better`: an optional feature is missing.
 */
export type Need = 'always' | 'forms' | 'versions' | 'better'

/** The probes' bucket, accessed like the service does. */
export type ProbeContext = {
  readonly options: StorageOptions
  readonly client: S3Client
  readonly uploads: UploadsBucket
  readonly media: MediaBucket
  /** A new, unused key. */
  readonly newKey: (name: string) => string
  /** URL at which storage can reach this process, if any. */
  readonly notifyAt: URL | undefined
  /** Time limit for a rule to take effect and for a notification to arrive. */
  readonly spreadSecondsMax: number
}

export type Probe = {
  readonly name: string
  readonly need: Need
  /** Name of an earlier probe; if that fails, this one is skipped. */
  readonly after?: string
  /** What to do if it fails. */
  readonly cure: string
  /** Returns a sentence about the observed behavior. Throws, preferably a `ProbeFailure`, if it is wrong. */
  readonly run: (context: ProbeContext) => Promise<string>
}

export type ProbeResult = Pick<Probe, 'name' | 'need'> & {
  readonly state: 'passed' | 'failed' | 'skipped'
  readonly detail: string
  /** Null if there is nothing to do. */
  readonly cure: string | null
}

/** Storage does not behave as required; the message is a sentence. */
export class ProbeFailure extends Error {
  override readonly name = 'ProbeFailure'
}

export function assertBehavior(isCorrect: boolean, failure: string): asserts isCorrect {
  if (!isCorrect) throw new ProbeFailure(failure)
}

/** Longer than any probe takes on a slow but working storage. */
const PROBE_SECONDS_MAX = 60

/** Runs the probes in order, because they depend on settings of earlier ones. Appends the results to `known`. */
export async function runProbes(
  probes: readonly Probe[],
  context: ProbeContext,
  onResult: (result: ProbeResult) => void,
  known: readonly ProbeResult[] = [],
): Promise<ProbeResult[]> {
  const results: ProbeResult[] = [...known]
  for (const probe of probes) {
    const before = results.find(({ name }) => name === probe.after)
    const result =
      before && before.state !== 'passed' ? skipped(probe, before) : await runProbe(probe, context)
    results.push(result)
    onResult(result)
  }
  return results
}

const skipped = ({ name, need }: Probe, before: ProbeResult): ProbeResult => ({
  ...{ name, need, state: 'skipped', cure: null },
  detail: `Skipped because of ${before.name}.`,
})

async function runProbe(probe: Probe, context: ProbeContext): Promise<ProbeResult> {
  const { name, need, cure } = probe
  try {
    const detail = await withTimeout(probe.run(context))
    return { name, need, state: 'passed', detail, cure: null }
  } catch (error) {
    return { name, need, state: 'failed', detail: explain(error), cure }
  }
}

async function withTimeout<Answer>(attempt: Promise<Answer>): Promise<Answer> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const message = `It did not finish within ${PROBE_SECONDS_MAX} seconds.`
  const timer = setTimeout(() => reject(new ProbeFailure(message)), PROBE_SECONDS_MAX * 1000)
  try {
    return await Promise.race([attempt, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Describes the error with its status and code. */
function explain(error: unknown): string {
  if (error instanceof ProbeFailure) return error.message
  if (!(error instanceof Error)) return String(error)
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } }
  const status = $metadata?.httpStatusCode
  // The client's message for a response without a body.
  const message = error.message === 'UnknownError' ? '' : `: ${error.message}`
  return status === undefined
    ? `Storage did not answer (${error.name}${message}).`
    : `Storage responded with ${status} ${error.name}${message}.`
}
