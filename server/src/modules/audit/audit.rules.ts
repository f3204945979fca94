/**
 * The audit log of an organization: entries that are never changed, chained by hashes
 * (docs/decisions/0042-audit.md).
 */
import type { Timestamp } from '../../kernel/time.ts'

/** The hash before the first entry. */
export const FIRST_HASH = '0'.repeat(64)

/**
 * The actor: an API token, a member, an operator or job of the service, or a person who is not a member of the
 * organization.
 */
export type ActorKind = 'token' | 'member' | 'system' | 'person'

export type Actor = {
  readonly kind: ActorKind
  readonly id: string | null
  /** Null for tokens and members: their name is added when the entry is sealed. */
  readonly name: string | null
}

/** The resource that an entry is about. */
export type AuditObject = { readonly type: string; readonly id: string }

/** An entry to record. */
export type NewEntry = {
  readonly actor: Actor
  /** Id of the operation, such as `createFolder`, or `signIn`, or `admin.` and the name of a command. */
  readonly action: string
  readonly object: AuditObject | null
  readonly outcome: 'success' | 'refused'
  readonly errorCode: string | null
  readonly address: string | null
  readonly userAgent: string | null
  readonly requestId: string | null
  /** Number of requests that the entry represents; 1 by default. */
  readonly count?: number
}

/** An entry in the log. */
export type AuditEntry = Required<NewEntry> & {
  readonly organizationId: string
  readonly number: number
  readonly createdAt: Timestamp
  readonly previousHash: string
  readonly hash: string
}

/** The system as an actor, with the part of it that acts. */
export const systemActor = (name: string): Actor => ({ kind: 'system', id: null, name })

/** Longest text of each kind; longer ones are cut, so that a client cannot fill the log with one request. */
const TEXT_LENGTH_MAX = { userAgent: 200, address: 64, requestId: 64, objectId: 255, name: 255, action: 100 }

const unsafe = /[\p{Cc}\p{Cs}]/gu

/** Cuts a text and replaces characters that Postgres cannot store or that programs escape differently. */
const bounded = <Text extends string | null>(text: Text, length: number): Text =>
  (text === null ? null : text.slice(0, length).replace(unsafe, '?')) as Text

/** Applies the limits to the texts of an entry that come from outside. */
export const boundedEntry = (entry: NewEntry): NewEntry => ({
  ...entry,
  actor: { ...entry.actor, name: bounded(entry.actor.name, TEXT_LENGTH_MAX.name) },
  action: bounded(entry.action, TEXT_LENGTH_MAX.action),
  object: entry.object && { type: entry.object.type, id: bounded(entry.object.id, TEXT_LENGTH_MAX.objectId) },
  address: bounded(entry.address, TEXT_LENGTH_MAX.address),
  userAgent: bounded(entry.userAgent, TEXT_LENGTH_MAX.userAgent),
  requestId: bounded(entry.requestId, TEXT_LENGTH_MAX.requestId),
})

/** Path parameters of resources. Chapters, versions and deliveries are parts of the resource before them. */
const parameterForm = /:((?!chapter|version|delivery)(\w+)_(?:id|uuid))\b/g

/** Types of resources that are named differently in paths. */
const typeOf: Readonly<Record<string, string>> = { session: 'upload_session' }

/**
 * Returns a function for the resource that a path leads to: that of its last parameter, which is the most specific one,
 * or the organization.
 */
export function objectFinder(path: string) {
  const [, parameter, name] = [...path.matchAll(parameterForm)].at(-1) ?? []
  return (params: Readonly<Record<string, string>>, organizationId: string): AuditObject =>
    parameter === undefined || name === undefined
      ? { type: 'organization', id: organizationId }
      : { type: typeOf[name] ?? name, id: params[parameter] ?? '' }
}

const json = (text: string | null) => JSON.stringify(text)

/**
 * The text that is hashed: the entry as the API returns it, without `hash`, in the form of RFC 8785. The function
 * `audit_entry_text` of the database builds the same text.
 */
export const canonicalText = (entry: AuditEntry): string =>
  `{"action":${json(entry.action)}` +
  `,"actor":{"id":${json(entry.actor.id)},"kind":${json(entry.actor.kind)},"name":${json(entry.actor.name)}}` +
  `,"address":${json(entry.address)},"count":${entry.count},"created_at":${json(entry.createdAt)}` +
  `,"error_code":${json(entry.errorCode)},"number":${entry.number}` +
  `,"object":{"id":${json(entry.object?.id ?? null)},"type":${json(entry.object?.type ?? null)}}` +
  `,"organization_id":${json(entry.organizationId)},"outcome":${json(entry.outcome)}` +
  `,"previous_hash":${json(entry.previousHash)},"request_id":${json(entry.requestId)}` +
  `,"user_agent":${json(entry.userAgent)}}`

/** An end of the log: the number and hash of an entry. */
export type ChainEnd = { readonly number: number; readonly hash: string }

/** The first entry at which a chain is broken, and why. */
export type Break = { readonly number: number; readonly problem: string }

/** Checks entries one after the other, from an end of the log on. */
export class ChainCheck {
  head: ChainEnd
  checked = 0
  broken: Break | undefined

  constructor(start: ChainEnd) {
    this.head = start
  }

  /** Returns whether the entry continues the chain. `hash` is that of its content. */
  add(entry: AuditEntry, hash: string): boolean {
    const { number, hash: before } = this.head
    if (entry.number !== number + 1) return this.fail(number + 1, 'it is missing')
    if (entry.previousHash !== before) return this.fail(entry.number, 'previous_hash is not the hash before it')
    if (entry.hash !== hash) return this.fail(entry.number, 'hash is not that of its content')
    this.head = { number: entry.number, hash }
    this.checked++
    return true
  }

  /** Checks that the chain has ended where the log says. */
  end({ number, hash }: ChainEnd): boolean {
    if (number > this.head.number) return this.fail(this.head.number + 1, 'it is missing')
    if (number < this.head.number) return this.fail(number + 1, 'the log ends before it')
    return hash === this.head.hash || this.fail(number, 'the log has another hash for it')
  }

  fail(number: number, problem: string): false {
    this.broken = { number, problem }
    return false
  }
}
