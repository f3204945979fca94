/** Asks a language model for chapters, if one is configured. */
import type { OrganizationId } from '../../../kernel/ids.ts'
import { answerOf } from '../../../platform/models/chat-server.ts'
import { type ModelServer, ModelServerFailed, unusableResponse } from '../../../platform/models/model-server.ts'
import type { Logger } from '../../../platform/observability/logger.ts'
import { askForChapters, PARTS_MAX, readAnswer } from './model-chapters.ts'
import type { ChapterStart, SpokenPart } from './transcript.rules.ts'

export type ChaptersConfig = {
  readonly CHAPTERS_URL?: string | undefined
  readonly CHAPTERS_KEY?: string | undefined
  readonly CHAPTERS_MODEL: string
}

/** The request of the person lasts as long. */
const SECONDS_MAX = 60
/** Answers are slow and cost money, so an organization asks for one at a time. */
const CONCURRENT_MAX = 8

type Question = {
  readonly organizationId: OrganizationId
  readonly parts: readonly SpokenPart[]
  readonly countMax: number
}

export class ChapterModel {
  readonly #server: ModelServer
  readonly #logger: Pick<Logger, 'warn'>
  readonly #asking = new Set<OrganizationId>()

  constructor(server: ModelServer, logger: Pick<Logger, 'warn'>) {
    this.#server = server
    this.#logger = logger
  }

  /** Undefined if the model does not answer in time, or not in the form that was asked for. */
  async findChapters({ organizationId, parts, countMax }: Question): Promise<readonly ChapterStart[] | undefined> {
    if (parts.length > PARTS_MAX) return undefined
    if (this.#asking.has(organizationId) || this.#asking.size >= CONCURRENT_MAX) return undefined
    this.#asking.add(organizationId)
    try {
      const signal = AbortSignal.timeout(SECONDS_MAX * 1000)
      const answer = await answerOf(this.#server, askForChapters(parts, countMax), signal)
      const chapters = readAnswer(answer, { partCount: parts.length, countMax })
      if (!chapters) throw unusableResponse()
      return chapters
    } catch (err) {
      if (!(err instanceof ModelServerFailed)) throw err
      this.#logger.warn({ err }, 'failed to get chapters from the language model; comparing the transcript')
      return undefined
    } finally {
      this.#asking.delete(organizationId)
    }
  }
}

/** Undefined if no server is configured. */
export const openChapterModel = (
  { CHAPTERS_URL: url, CHAPTERS_KEY: key, CHAPTERS_MODEL: model }: ChaptersConfig,
  logger: Pick<Logger, 'warn'>,
): ChapterModel | undefined => (url === undefined ? undefined : new ChapterModel({ url, key, model }, logger))
