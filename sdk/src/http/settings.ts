import { readEnvironment } from '#platform'
import { ReelkeepError } from './errors.ts'

/** How a client is made. What is left out is taken from the environment, where there is one. */
export type Settings = {
  /** Where the service is, such as `https://videos.example`; else `REELKEEP_URL`. */
  readonly url?: string | undefined
  /** Else `REELKEEP_ORGANIZATION`. */
  readonly organization?: string | undefined
  /** An API token, else `REELKEEP_TOKEN`. Whoever has it can do what it allows: keep it out of pages. */
  readonly token?: string | undefined
  /** How often a call is repeated whose answer was lost or says "later": 2 unless told. */
  readonly retriesMax?: number | undefined
  /** How long one try may take: 60 unless told. */
  readonly timeoutSeconds?: number | undefined
  /**
   * Instead of the runtime's own, for a proxy or a log: of calls. The bytes of uploads go straight
   * to storage, past it.
   */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** What any call may be given beside what it sends; a key only those that create something. */
export type CallOptions = {
  readonly signal?: AbortSignal | undefined
  readonly retriesMax?: number | undefined
  readonly timeoutSeconds?: number | undefined
  /**
   * One of your own, for a call that is to count once however often your program is run within 24
   * hours. After that the service has forgotten it.
   */
  readonly idempotencyKey?: string | undefined
}

/** Of a call that takes no key: one that was given would be passed over. */
export type UnkeyedOptions = Omit<CallOptions, 'idempotencyKey'>

type Needed = 'url' | 'organization' | 'token'

/**
 * Where calls go, and what they show there. A setting that cannot be right is told by its name: its
 * value may be a secret.
 */
export function addressOf(settings: Settings): {
  readonly base: string
  readonly authorization: string
} {
  const url = baseOf(needed(settings, 'url'))
  const organization = encodeURIComponent(word(needed(settings, 'organization'), 'organization'))
  const token = word(needed(settings, 'token'), 'token')
  return { base: `${url}/api/v1/${organization}`, authorization: `token ${token}` }
}

function needed(settings: Settings, name: Needed): string {
  const variable = `REELKEEP_${name.toUpperCase()}`
  const value = settings[name] ?? readEnvironment(variable)
  if (value) return value
  throw new ReelkeepError(
    `Reelkeep needs to know the ${name}: pass it to \`new Reelkeep({ ${name} })\`, or set ${variable}.`,
  )
}

function baseOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new ReelkeepError(
      'The url of Reelkeep is to be one like https://videos.example, without a name and password in it.',
    )
  return (url.origin + url.pathname).replace(/\/+$/, '')
}

function word(text: string, name: Needed): string {
  if (/^[\x21-\x7e]+$/.test(text) && !/^\.{1,2}$/.test(text)) return text
  throw new ReelkeepError(
    `The ${name} of Reelkeep holds characters that no ${name} has, such as a blank or the end of a line.`,
  )
}
