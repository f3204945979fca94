/**
 * SPEKE 2.0 key provider. The operator's DRM vendor issues the Widevine, PlayReady and FairPlay
 * licenses, and also supplies the keys and the manifest data.
 */
import { type KeyProvider, KeyProviderFailed, type KeyRequest } from '../key-provider.ts'
import { cpixRequest } from './cpix-request.ts'
import { readCpix } from './cpix-response.ts'
import type { SpekeSystem } from './systems.ts'

export type SpekeOptions = {
  readonly url: string
  /** Authentication headers. */
  readonly headers: Readonly<Record<string, string>>
  readonly systems: readonly SpekeSystem[]
  readonly timeoutSeconds: number
}

const SPEKE_VERSION = '2.0'

/** Maximum size of a response. A normal one has a few thousand bytes. */
const RESPONSE_BYTES_MAX = 2 ** 20
/** Maximum number of characters of an error response in the log. */
const ERROR_TEXT_MAX = 300

export const speke = (options: SpekeOptions): KeyProvider => ({
  name: 'speke',
  keysFor: async (request, signal) => readCpix(await requestKeys(options, request, signal), request),
})

async function requestKeys(options: SpekeOptions, request: KeyRequest, signal: AbortSignal): Promise<string> {
  const response = await send(options, request, signal)
  const { status, headers, text } = response
  if (status !== 200) throw errorFor(status, text)
  const version = headers.get('x-speke-version')
  if (version !== SPEKE_VERSION) {
    const message = `The key provider responded with SPEKE version ${version ?? '(none)'}`
    throw new KeyProviderFailed('unreadable', message)
  }
  return text
}

async function send({ url, headers, systems, timeoutSeconds }: SpekeOptions, request: KeyRequest, signal: AbortSignal) {
  const timeout = AbortSignal.timeout(timeoutSeconds * 1000)
  try {
    const response = await fetch(url, {
      method: 'POST',
      // Follow no redirects: keys must come from the configured URL only.
      redirect: 'error',
      headers: {
        ...headers,
        'Content-Type': 'application/xml',
        Accept: 'application/xml',
        'X-Speke-Version': SPEKE_VERSION,
      },
      body: cpixRequest(request, request.scheme === 'cbcs' ? systems : systems.filter(isOfCenc)),
      signal: AbortSignal.any([signal, timeout]),
    })
    return { status: response.status, headers: response.headers, text: await readAll(response) }
  } catch (cause) {
    if (signal.aborted || cause instanceof KeyProviderFailed) throw cause
    const why = timeout.aborted ? `did not respond for ${timeoutSeconds} s` : 'cannot be reached'
    throw new KeyProviderFailed('unavailable', `The key provider ${why}`, { cause })
  }
}

/** FairPlay supports only cbcs. */
const isOfCenc = (system: SpekeSystem) => system !== 'fairplay'

async function readAll({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > RESPONSE_BYTES_MAX) {
      const message = `The key provider's response has more than ${RESPONSE_BYTES_MAX} bytes`
      throw new KeyProviderFailed('unreadable', message)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Overload and server errors may be retried; other statuses are final. */
const isTransient = (status: number) => status >= 500 || status === 408 || status === 429

const errorFor = (status: number, text: string) =>
  new KeyProviderFailed(
    isTransient(status) ? 'unavailable' : 'refused',
    `The key provider responded with ${status}: ${text.slice(0, ERROR_TEXT_MAX)}`,
  )
