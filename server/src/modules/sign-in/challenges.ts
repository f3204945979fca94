/**
 * Values that a browser has to bring back once, within ten minutes: challenges of passkeys and the state of a sign-in
 * at an identity provider. Only the browser that got the value can use it, and the database returns its content once.
 */
import { createHash } from 'node:crypto'
import type { Database } from '../../platform/db/database.ts'
import { deleteChallenge, insertChallenge } from './challenges.store.ts'

export const CHALLENGE_SECONDS = 600

export type ChallengeKind = 'passkey-sign-in' | 'passkey-registration' | 'oidc'

type Challenge = {
  readonly kind: ChallengeKind
  /** The random value. */
  readonly value: string
  readonly browserHash: Buffer
}

export async function addChallenge(database: Database, challenge: Challenge, content: object): Promise<void> {
  const { kind, value, browserHash } = challenge
  const row = { hash: hashOf(value), kind, browserHash, content: JSON.stringify(content) }
  await insertChallenge(database, { ...row, lifetimeSeconds: CHALLENGE_SECONDS })
}

/** Removes a challenge and returns its content. Undefined if it is unknown, used, expired or of another browser. */
export async function takeChallenge<Content extends object>(
  database: Database,
  { kind, value, browserHash }: Omit<Challenge, 'browserHash'> & { readonly browserHash: Buffer | undefined },
): Promise<Content | undefined> {
  if (browserHash === undefined) return undefined
  const content = await deleteChallenge(database, { hash: hashOf(value), kind, browserHash })
  return content === null ? undefined : (content as Content)
}

/** Returns whether the value is used for the first time within `lifetimeSeconds`. */
export const isFirstUse = (database: Database, value: string, lifetimeSeconds: number): Promise<boolean> =>
  insertChallenge(database, {
    ...{ hash: hashOf(value), kind: 'used', browserHash: null, content: '{}' },
    lifetimeSeconds,
  })

const hashOf = (value: string) => createHash('sha256').update(value).digest()
