/**
 * `Idempotency-Key`: the same key with the same request answers the first answer again.
 *
 * The answer is saved in the transaction that makes the change, so there is no moment in which one
 * exists without the other. A request that fails saves nothing and may be repeated under its key.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { notNow, refused } from '../../kernel/errors.ts'
import type { OrganizationDb } from '../db/database.ts'
import { findAnswer, lockKey, saveAnswer } from './idempotency.store.ts'
import { finishing, type Prepared } from './preparation.ts'

export type Repeatable = {
  readonly key: string
  /** What must be the same, in whatever order its fields come: operation, path parameters and body. */
  readonly request: readonly unknown[]
  /** The caller's token, when the answer holds a secret: only who has it can open the saved copy. */
  readonly sealedWith: string | undefined
}

const keyForm = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/

export function assertIdempotencyKey(key: string): void {
  if (keyForm.test(key)) return
  throw refused(
    'invalid_idempotency_key',
    'Idempotency-Key must have 1 to 255 printable ASCII characters.',
  )
}

export type Answered<Answer> = { readonly answer: Answer; readonly isRepeated: boolean }

export async function answerOnce<Answer>(
  db: OrganizationDb,
  { key, request, sealedWith }: Repeatable,
  work: (tx: OrganizationDb) => Promise<Answer>,
): Promise<Answered<Answer>> {
  const requestHash = hashOf(request)
  return db.transaction(async (tx) => {
    const { isLocked, saved } = await lockKey(tx, key)
    if (!isLocked) {
      throw notNow(
        'idempotency_key_in_use',
        'The first request with this Idempotency-Key still runs.',
        1,
      )
    }
    if (saved) return { answer: reopen<Answer>(saved, requestHash, sealedWith), isRepeated: true }
    const answer = await work(tx)
    await saveAnswer(tx, key, { requestHash, answer: close(answer, sealedWith) })
    return { answer, isRepeated: false }
  })
}

/**
 * The same for what is prepared before the transaction. Where there is a saved answer, nothing is
 * prepared; where two prepare at the same time, the one that comes second does so in vain.
 */
export async function prepareOnce<Answer>(
  db: OrganizationDb,
  repeatable: Repeatable,
  prepare: () => Promise<Prepared<Answer>>,
): Promise<Answered<Answer>> {
  const { key, request, sealedWith } = repeatable
  const saved = await findAnswer(db, key)
  if (saved) return { answer: reopen<Answer>(saved, hashOf(request), sealedWith), isRepeated: true }
  const prepared = await prepare()
  const answered = await finishing(prepared, () => answerOnce(db, repeatable, prepared.finish))
  if (answered.isRepeated) await prepared.discard()
  return answered
}

const hashOf = (request: Repeatable['request']) =>
  createHash('sha256').update(canonical(request)).digest()

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

function reopen<Answer>(
  saved: { requestHash: Buffer; answer: Buffer },
  requestHash: Buffer,
  sealedWith: string | undefined,
): Answer {
  const text = saved.requestHash.equals(requestHash) ? open(saved.answer, sealedWith) : undefined
  if (text !== undefined) return JSON.parse(text) as Answer
  throw refused(
    'idempotency_key_reused',
    'This Idempotency-Key was used with another request. Use a fresh one.',
  )
}

function close(answer: unknown, sealedWith: string | undefined): Buffer {
  const plain = Buffer.from(JSON.stringify(answer))
  if (sealedWith === undefined) return plain
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', sealingKey(sealedWith), nonce)
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Undefined when another token sealed it. */
function open(saved: Buffer, sealedWith: string | undefined): string | undefined {
  if (sealedWith === undefined) return saved.toString()
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(sealedWith), saved.subarray(0, 12))
  decipher.setAuthTag(saved.subarray(12, 28))
  try {
    return Buffer.concat([decipher.update(saved.subarray(28)), decipher.final()]).toString()
  } catch {
    return undefined
  }
}

const sealingKey = (token: string) =>
  Buffer.from(hkdfSync('sha256', token, '', 'reelkeep saved answer', 32))
