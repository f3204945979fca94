import { readEnvironment } from '#platform'
import { ReelkeepError } from './errors.ts'

/** Settings of a client. Omitted settings are read from the environment, if there is one. */
export type Settings = {
  /** URL of the service, such as `https://videos.example` (default: `REELKEEP_URL`). */
  readonly url?: string | undefined
  /** Organization id (default: `REELKEEP_ORGANIZATION`). */
  readonly organization?: string | undefined
  /**
   * API token (default: `REELKEEP_TOKEN`). It is a secret: keep it out of web pages, which can use the upload token of
   * one session instead.
   */
  readonly token?: string | undefined
  /**
   * Sends the session cookie of a person who is signed in, instead of a token. Only for pages on the origin of the
   * service.
   */
  readonly session?: boolean | undefined
  /** Maximum number of retries of a failed call (default 2). */
  readonly retriesMax?: number | undefined
  /** Time limit of one attempt, in seconds (default 60). */
  readonly timeoutSeconds?: number | undefined
  /**
   * Used instead of the global `fetch` for API calls, for example for a proxy or for logging. Uploads to storage do
   * not use it.
   */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** Options of every call. `idempotencyKey` is only for calls that create something. */
export type CallOptions = {
  readonly signal?: AbortSignal | undefined
  readonly retriesMax?: number | undefined
  readonly timeoutSeconds?: number | undefined
  /**
   * Your own key. A call with the same key has an effect only once within 24 hours, however often your program runs.
   */
  readonly idempotencyKey?: string | undefined
}

/** Options of calls that do not accept an idempotency key. */
export type UnkeyedOptions = Omit<CallOptions, 'idempotencyKey'>

/** Options of calls that change a resource with an `etag`. */
export type ConditionalOptions = UnkeyedOptions & {
  /** `etag` of the resource when it was read. If it has changed since, the call fails with `ConflictError`. */
  readonly ifMatch?: string | null | undefined
}

type RequiredSetting = 'url' | 'organization' | 'token'

/**
 * Base URL and credentials of the client. Error messages name the invalid setting but not its value, which may be a
 * secret.
 */
export function endpointOf(settings: Settings): {
  readonly base: string
  /** Headers that authenticate each call. None with a session: the browser adds the cookie. */
  readonly credentials: { readonly authorization?: string }
} {
  const url = parseBaseUrl(requireSetting(settings, 'url'))
  const organization = encodeURIComponent(assertPlainText(requireSetting(settings, 'organization'), 'organization'))
  const base = `${url}/api/v1/${organization}`
  if (settings.session) return { base, credentials: {} }
  const token = assertPlainText(requireSetting(settings, 'token'), 'token')
  return { base, credentials: { authorization: `token ${token}` } }
}

function requireSetting(settings: Settings, name: RequiredSetting): string {
  const variable = `REELKEEP_${name.toUpperCase()}`
  const value = settings[name] ?? readEnvironment(variable)
  if (value) return value
  throw new ReelkeepError(
    `The Reelkeep client needs ${name === 'organization' ? 'an organization' : `a ${name}`}: pass it to \`new Reelkeep({ ${name} })\`, or set ${variable}.`,
  )
}

function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new ReelkeepError(
      'The `url` of the Reelkeep client must look like https://videos.example, without a user name or password.',
    )
  return (url.origin + url.pathname).replace(/\/+$/, '')
}

function assertPlainText(text: string, name: RequiredSetting): string {
  if (/^[\x21-\x7e]+$/.test(text) && !/^\.{1,2}$/.test(text)) return text
  throw new ReelkeepError(
    `The \`${name}\` of the Reelkeep client contains invalid characters, such as a space or a line break.`,
  )
}
