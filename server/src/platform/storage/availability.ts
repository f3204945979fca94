import { S3ServiceException } from '@aws-sdk/client-s3'
import { isConnectionFault } from '../../kernel/connection-faults.ts'

/** Thrown by the client when an answer takes too long. */
const isTimeout = ({ name }: Error) => name === 'TimeoutError'

/** What storage's clients throw carries the facts of the request. */
const isFromStorage = (error: Error) => '$metadata' in error

/**
 * Whether storage is away or overloaded, so that the same request may work a little later. One that refuses our key, or
 * does not have the bucket, is as good as away: whoever calls us cannot mend that, the operator can.
 */
export function isStorageAway(error: unknown): boolean {
  if (error instanceof S3ServiceException) {
    const status = error.$metadata.httpStatusCode ?? 500
    return status >= 500 || status === 403 || error.name === 'NoSuchBucket'
  }
  if (!(error instanceof Error) || !isFromStorage(error)) return false
  return isConnectionFault(error) || isTimeout(error)
}

/**
 * Why storage is as good as away, as a sentence for the operator. An answer to HEAD has no body, so
 * its client can only call it "UnknownError"; the status says more.
 */
export function describeAway(error: unknown): string {
  if (!(error instanceof S3ServiceException)) {
    return `Storage does not answer (${error instanceof Error ? error.message || error.name : error}).`
  }
  const status = error.$metadata.httpStatusCode
  return status === 403
    ? 'Storage refuses the key (403).'
    : `Storage answers ${status ?? error.name}.`
}

/** The upload or object that was asked for does not exist. A bucket that does not is a fault of ours. */
export function isAbsent(error: unknown): boolean {
  if (!(error instanceof S3ServiceException)) return false
  return error.$metadata.httpStatusCode === 404 && error.name !== 'NoSuchBucket'
}

/**
 * For who asked for a version of an object: what one storage calls a version need not look like one
 * to another. Amazon's, for one, does not look for it then and answers that the question is wrong.
 */
export const isUnknownVersion = (error: unknown): boolean =>
  error instanceof S3ServiceException && error.$metadata.httpStatusCode === 400

/**
 * Answers of storage that its client throws, and nothing is wrong: the caller has it already, or
 * asks for what lies behind its end.
 */
export function insteadOfBytes(error: unknown): 'unchanged' | 'outside' | undefined {
  if (!(error instanceof S3ServiceException)) return undefined
  const { httpStatusCode } = error.$metadata
  if (httpStatusCode === 304) return 'unchanged'
  return httpStatusCode === 416 ? 'outside' : undefined
}

/** For what has been done before as well: undefined when there is nothing to do it to. */
export async function unlessAbsent<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}
