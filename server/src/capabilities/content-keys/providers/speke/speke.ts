/**
 * A key provider that speaks SPEKE 2.0: one request with a CPIX document, one answer. Licences of
 * Widevine, PlayReady and FairPlay are given out by those with whom the operator has a contract;
 * from them come the keys as well, and how manifests tell of them.
 */
import { type KeyProvider, KeyProviderFailed, type KeyWish } from '../key-provider.ts'
import { cpixRequest } from './cpix-request.ts'
import { readCpix } from './cpix-response.ts'
import type { SpekeSystem } from './systems.ts'

export type SpekeOptions = {
  readonly url: string
  /** By which it knows us. */
  readonly headers: Readonly<Record<string, string>>
  readonly systems: readonly SpekeSystem[]
  readonly timeoutSeconds: number
}

const SPEKE_VERSION = '2.0'

/** An answer has some thousand; a PlayReady header is the largest of it. */
const ANSWER_BYTES_MAX = 2 ** 20
/** Of a refusal, for the log. */
const REFUSAL_LETTERS_MAX = 300

export const speke = (options: SpekeOptions): KeyProvider => ({
  name: 'speke',
  keysFor: async (wish, signal) => readCpix(await ask(options, wish, signal), wish),
})

async function ask(options: SpekeOptions, wish: KeyWish, signal: AbortSignal): Promise<string> {
  const answer = await send(options, wish, signal)
  const { status, headers, text } = answer
  if (status !== 200) throw notGiven(status, text)
  const version = headers.get('x-speke-version')
  if (version !== SPEKE_VERSION) {
    const told = `The key provider answers in SPEKE ${version ?? 'of no version'}`
    throw new KeyProviderFailed('unreadable', told)
  }
  return text
}

async function send(
  { url, headers, systems, timeoutSeconds }: SpekeOptions,
  wish: KeyWish,
  signal: AbortSignal,
) {
  const patience = AbortSignal.timeout(timeoutSeconds * 1000)
  try {
    const answer = await fetch(url, {
      method: 'POST',
      // The keys are for nobody whom the operator has not named.
      redirect: 'error',
      headers: {
        ...headers,
        'Content-Type': 'application/xml',
        Accept: 'application/xml',
        'X-Speke-Version': SPEKE_VERSION,
      },
      body: cpixRequest(wish, wish.scheme === 'cbcs' ? systems : systems.filter(isOfCenc)),
      signal: AbortSignal.any([signal, patience]),
    })
    return { status: answer.status, headers: answer.headers, text: await readAll(answer) }
  } catch (cause) {
    if (signal.aborted || cause instanceof KeyProviderFailed) throw cause
    const why = patience.aborted ? `said nothing for ${timeoutSeconds} s` : 'cannot be reached'
    throw new KeyProviderFailed('unavailable', `The key provider ${why}`, { cause })
  }
}

/** FairPlay knows no other scheme than cbcs. */
const isOfCenc = (system: SpekeSystem) => system !== 'fairplay'

async function readAll({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES_MAX) {
      const told = `The key provider's answer has more than ${ANSWER_BYTES_MAX} bytes`
      throw new KeyProviderFailed('unreadable', told)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Too busy, or broken: it may do better later. Else it has understood, and does not want to. */
const isPassing = (status: number) => status >= 500 || status === 408 || status === 429

const notGiven = (status: number, text: string) =>
  new KeyProviderFailed(
    isPassing(status) ? 'unavailable' : 'refused',
    `The key provider answers ${status}: ${text.slice(0, REFUSAL_LETTERS_MAX)}`,
  )
