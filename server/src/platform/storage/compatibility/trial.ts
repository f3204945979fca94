/**
 * What is tried of a storage, to know whether the service can live on it.
 * docs/operations/storage.md tells every name.
 */
import type { S3Client } from '@aws-sdk/client-s3'
import type { StorageOptions } from '../client.ts'
import type { MediaBucket } from '../media-bucket.ts'
import type { UploadsBucket } from '../uploads-bucket.ts'

/**
 * What is lost if it fails. Without what is needed `always` the storage is unfit; without `forms`
 * or `versions` files come in parts; what is `better` there is only missed.
 */
export type Need = 'always' | 'forms' | 'versions' | 'better'

/** A bucket of the trials' own, entered as the service enters it. */
export type Bench = {
  readonly options: StorageOptions
  readonly client: S3Client
  readonly uploads: UploadsBucket
  readonly media: MediaBucket
  /** A key that nothing lies under yet. */
  readonly newKey: (name: string) => string
  /** Where storage can reach this process, if anywhere. */
  readonly notifyAt: URL | undefined
  /** How long storage may take to spread a rule, or to tell of an object. */
  readonly spreadSecondsMax: number
}

export type Trial = {
  readonly name: string
  readonly need: Need
  /** Another one before it: if that fails, this one would only fail as well. */
  readonly after?: string
  /** What to do if it fails. */
  readonly cure: string
  /** A sentence about what was seen. Throws, preferably a `Shortcoming`, if it was not what is needed. */
  readonly attempt: (bench: Bench) => Promise<string>
}

export type Result = Pick<Trial, 'name' | 'need'> & {
  readonly state: 'passed' | 'failed' | 'skipped'
  readonly detail: string
  /** Null when there is nothing to do. */
  readonly cure: string | null
}

/** Storage does something else than it should; the message is a sentence. */
export class Shortcoming extends Error {
  override readonly name = 'Shortcoming'
}

export function assertSeen(isAsNeeded: boolean, otherwise: string): asserts isAsNeeded {
  if (!isAsNeeded) throw new Shortcoming(otherwise)
}

/** Longer than any of them takes on a storage that is slow, but works. */
const TRIAL_SECONDS_MAX = 60

/** One after the other: each may build on what those before it have set. Answers them behind those that are `known`. */
export async function runTrials(
  trials: readonly Trial[],
  bench: Bench,
  onResult: (result: Result) => void,
  known: readonly Result[] = [],
): Promise<Result[]> {
  const results: Result[] = [...known]
  for (const trial of trials) {
    const before = results.find(({ name }) => name === trial.after)
    const result =
      before && before.state !== 'passed' ? skipped(trial, before) : await run(trial, bench)
    results.push(result)
    onResult(result)
  }
  return results
}

const skipped = ({ name, need }: Trial, before: Result): Result => ({
  ...{ name, need, state: 'skipped', cure: null },
  detail: `Not tried, because of ${before.name}.`,
})

async function run(trial: Trial, bench: Bench): Promise<Result> {
  const { name, need, cure } = trial
  try {
    const detail = await inTime(trial.attempt(bench))
    return { name, need, state: 'passed', detail, cure: null }
  } catch (error) {
    return { name, need, state: 'failed', detail: explain(error), cure }
  }
}

async function inTime<Answer>(attempt: Promise<Answer>): Promise<Answer> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const sentence = `It was not over after ${TRIAL_SECONDS_MAX} seconds.`
  const timer = setTimeout(() => reject(new Shortcoming(sentence)), TRIAL_SECONDS_MAX * 1000)
  try {
    return await Promise.race([attempt, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Storage names a fault and seldom explains it. */
function explain(error: unknown): string {
  if (error instanceof Shortcoming) return error.message
  if (!(error instanceof Error)) return String(error)
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } }
  const status = $metadata?.httpStatusCode
  // What the client says when storage has said nothing.
  const message = error.message === 'UnknownError' ? '' : `: ${error.message}`
  return status === undefined
    ? `Storage did not answer (${error.name}${message}).`
    : `Storage answered ${status} ${error.name}${message}.`
}
