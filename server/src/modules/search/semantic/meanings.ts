/** The meaning of search texts, from the embeddings server. */
import { LRUCache } from 'lru-cache'
import { refused, retryLater } from '../../../kernel/errors.ts'
import {
  type EmbeddingsConfig,
  type EmbeddingsServer,
  embeddingsServerFor,
} from '../../../platform/models/embeddings-server.ts'
import { ModelServerFailed } from '../../../platform/models/model-server.ts'
import type { Logger } from '../../../platform/observability/logger.ts'
import type { SearchMode } from '../search.rules.ts'
import type { Meaning } from '../search.store.ts'
import { fingerprintOf } from './fingerprint.rules.ts'

/** The pages of a search have the same text. */
const TEXTS_CACHED = 1000
/** Longer than a server takes for one text. */
const SECONDS_MAX = 3
const RETRY_SECONDS = 5

export class Meanings {
  readonly #server: EmbeddingsServer
  readonly #logger: Pick<Logger, 'warn'>
  readonly #cache = new LRUCache<string, Meaning>({ max: TEXTS_CACHED })

  constructor(server: EmbeddingsServer, logger: Pick<Logger, 'warn'>) {
    this.#server = server
    this.#logger = logger
  }

  /** Undefined if the server does not return a vector in time. */
  async find(text: string): Promise<Meaning | undefined> {
    const cached = this.#cache.get(text)
    if (cached) return cached
    try {
      const [vector = []] = await this.#server.embed([text], AbortSignal.timeout(SECONDS_MAX * 1000))
      const meaning = { model: this.#server.modelNumber, fingerprint: fingerprintOf(vector) }
      this.#cache.set(text, meaning)
      return meaning
    } catch (err) {
      if (!(err instanceof ModelServerFailed)) throw err
      this.#logger.warn({ err }, 'the embeddings server failed; searching for words only')
      return undefined
    }
  }
}

/** Undefined if no embeddings server is configured. */
export function openMeanings(config: EmbeddingsConfig, logger: Pick<Logger, 'warn'>): Meanings | undefined {
  const server = embeddingsServerFor(config)
  return server && new Meanings(server, logger)
}

type Wanted = { readonly text: string; readonly mode: SearchMode | undefined }

/** Undefined if the search is for words only. Throws if the mode needs the meaning and it is not available. */
export async function meaningOf(meanings: Meanings | undefined, { text, mode }: Wanted): Promise<Meaning | undefined> {
  if (mode === 'lexical') return undefined
  const isRequired = mode !== undefined
  if (!meanings && isRequired)
    throw refused(
      'search_mode_not_available',
      'This service has no embeddings server, so a search compares words only. Use `mode=lexical`, or omit `mode`.',
    )
  const meaning = await meanings?.find(text)
  if (!meaning && isRequired)
    throw retryLater(
      'unavailable',
      `The embeddings server does not respond. Retry in ${RETRY_SECONDS} seconds, or use \`mode=lexical\`.`,
      RETRY_SECONDS,
    )
  return meaning
}
