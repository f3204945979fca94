/**
 * `Idempotency-Key`: the same key with the same request returns the first response again.
 *
 * The response is stored in the transaction that makes the change, so neither exists without the other. A failed
 * request stores nothing and may be retried with its key.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { refused, retryLater } from '../../../kernel/errors.ts'
import type { OrganizationDb } from '../../db/database.ts'
import { findResponse, lockKey, saveResponse } from './idempotency.store.ts'
import { type Prepared, rollBackOnDomainError } from './prepared.ts'

export type IdempotentRequest = {
  readonly key: string
  /** Operation, path parameters and body; must be equal in a retry, except for the order of fields. */
  readonly request: readonly unknown[]
  /**
   * The client's token or session cookie if the response contains a secret: the stored copy is encrypted with a key
   * derived from it.
   */
  readonly encryptedFor: string | undefined
}

const keyForm = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/

export function assertIdempotencyKey(key: string): void {
  if (keyForm.test(key)) return
  throw refused('invalid_idempotency_key', 'Idempotency-Key must have 1 to 255 printable ASCII characters.')
}

export type IdempotentResult<Result> = { readonly response: Result; readonly isReplayed: boolean }

export async function runIdempotent<Result>(
  db: OrganizationDb,
  { key, request, encryptedFor }: IdempotentRequest,
  work: (tx: OrganizationDb) => Promise<Result>,
): Promise<IdempotentResult<Result>> {
  const requestHash = hashOf(request)
  return db.transaction(async (tx) => {
    const { isLocked, saved } = await lockKey(tx, key)
    if (!isLocked) {
      throw retryLater(
        'idempotency_key_in_use',
        'The first request with this Idempotency-Key is still running. Retry in 1 second.',
        1,
      )
    }
    if (saved) return { response: replay<Result>(saved, requestHash, encryptedFor), isReplayed: true }
    const response = await work(tx)
    await saveResponse(tx, key, { requestHash, response: serialize(response, encryptedFor) })
    return { response, isReplayed: false }
  })
}

/**
 * Like `runIdempotent`, for work that is prepared before the transaction. If a response is stored, nothing is
 * prepared; of two concurrent requests, the second rolls its preparation back.
 */
export async function runIdempotentPrepared<Result>(
  db: OrganizationDb,
  idempotentRequest: IdempotentRequest,
  prepare: () => Promise<Prepared<Result>>,
): Promise<IdempotentResult<Result>> {
  const { key, request, encryptedFor } = idempotentRequest
  const saved = await findResponse(db, key)
  if (saved) return { response: replay<Result>(saved, hashOf(request), encryptedFor), isReplayed: true }
  const prepared = await prepare()
  const result = await rollBackOnDomainError(prepared, () => runIdempotent(db, idempotentRequest, prepared.commit))
  if (result.isReplayed) await prepared.rollback()
  return result
}

const hashOf = (request: IdempotentRequest['request']) => createHash('sha256').update(canonical(request)).digest()

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

function replay<Result>(
  saved: { requestHash: Buffer; response: Buffer },
  requestHash: Buffer,
  encryptedFor: string | undefined,
): Result {
  if (!saved.requestHash.equals(requestHash)) {
    throw refused('idempotency_key_reused', 'This Idempotency-Key was used with another request. Use a new key.')
  }
  const text = deserialize(saved.response, encryptedFor)
  if (text !== undefined) return JSON.parse(text) as Result
  throw refused(
    'idempotency_key_reused',
    'This Idempotency-Key was used with another token or session. The response contains a secret, which only that ' +
      'token or session can get again. Repeat the request with it, or use a new key.',
  )
}

function serialize(response: unknown, encryptedFor: string | undefined): Buffer {
  const plain = Buffer.from(JSON.stringify(response))
  if (encryptedFor === undefined) return plain
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', encryptionKey(encryptedFor), nonce)
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Returns undefined if the response was encrypted for another token or session. */
function deserialize(saved: Buffer, encryptedFor: string | undefined): string | undefined {
  if (encryptedFor === undefined) return saved.toString()
  const decipher = createDecipheriv('aes-256-gcm', encryptionKey(encryptedFor), saved.subarray(0, 12))
  decipher.setAuthTag(saved.subarray(12, 28))
  try {
    return Buffer.concat([decipher.update(saved.subarray(28)), decipher.final()]).toString()
  } catch {
    return undefined
  }
}

const encryptionKey = (secret: string) => Buffer.from(hkdfSync('sha256', secret, '', 'reelkeep saved answer', 32))
