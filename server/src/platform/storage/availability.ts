import { S3ServiceException } from '@aws-sdk/client-s3'
import { isConnectionError } from '../../kernel/connection-errors.ts'

const TOO_MANY_REQUESTS = 429

/** A request that was not answered: there was no connection, it broke, or the time for the response is over. */
export class StorageUnreachable extends Error {
  override readonly name = 'StorageUnreachable'
}

/** Whether the S3 client threw the error because a request timed out. */
const isTimeout = ({ name }: Error) => name === 'TimeoutError'

/** Errors of the S3 client carry `$metadata`. */
const isFromStorage = (error: Error) => '$metadata' in error

/**
 * Whether storage is unavailable or overloaded, so that a retry may succeed. A refused access key or a missing
 * bucket counts as unavailable: the operator can fix that, the client cannot.
 */
export function isStorageUnavailable(error: unknown): boolean {
  if (error instanceof S3ServiceException) {
    const status = error.$metadata.httpStatusCode ?? 500
    return status >= 500 || status === TOO_MANY_REQUESTS || status === 403 || error.name === 'NoSuchBucket'
  }
  if (error instanceof StorageUnreachable) return true
  if (!(error instanceof Error) || !isFromStorage(error)) return false
  return isConnectionError(error) || isTimeout(error)
}

/** Whether storage may be starting or stopping. A refused access key or a missing bucket stays an error. */
export const isStorageStarting = (error: unknown): boolean =>
  isStorageUnavailable(error) && !(error instanceof S3ServiceException && (error.$metadata.httpStatusCode ?? 500) < 500)

/**
 * Why storage is unavailable, as a sentence for the operator. A response to HEAD has no body, so the client
 * reports "UnknownError"; the status is more specific.
 */
export function describeUnavailable(error: unknown): string {
  if (!(error instanceof S3ServiceException)) {
    return `Storage does not respond (${error instanceof Error ? error.message || error.name : error}).`
  }
  const status = error.$metadata.httpStatusCode
  return status === 403 ? 'Storage refuses the access key (403).' : `Storage responds with ${status ?? error.name}.`
}

/** Whether the upload or object does not exist. A missing bucket is a configuration error instead. */
export function isNotFound(error: unknown): boolean {
  if (!(error instanceof S3ServiceException)) return false
  return error.$metadata.httpStatusCode === 404 && error.name !== 'NoSuchBucket'
}

/**
 * Whether storage rejects the version id of a request: ids of another storage service may be malformed for this one.
 * Amazon S3, for example, responds with 400 then.
 */
export const isUnknownVersion = (error: unknown): boolean =>
  error instanceof S3ServiceException && error.$metadata.httpStatusCode === 400

/**
 * Responses that the client throws although nothing failed: 304 (the caller has the object already) and 416 (the
 * range is outside the object).
 */
export function responseWithoutBody(error: unknown): 'unchanged' | 'outside' | undefined {
  if (!(error instanceof S3ServiceException)) return undefined
  const { httpStatusCode } = error.$metadata
  if (httpStatusCode === 304) return 'unchanged'
  return httpStatusCode === 416 ? 'outside' : undefined
}

/** Turns "not found" into undefined, so that operations can be repeated. */
export async function undefinedIfNotFound<Response>(request: Promise<Response>): Promise<Response | undefined> {
  try {
    return await request
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
