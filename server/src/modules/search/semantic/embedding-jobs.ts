/** Gives moments their embeddings, soon after the texts changed. */
import type { Database, OrganizationDb } from '../../../platform/db/database.ts'
import type { Schedule } from '../../../platform/jobs/schedule.ts'
import { type EmbeddingsServer, TEXTS_PER_REQUEST_MAX } from '../../../platform/models/embeddings-server.ts'
import { ModelServerFailed } from '../../../platform/models/model-server.ts'
import type { Logger } from '../../../platform/observability/logger.ts'
import * as store from './embedding-jobs.store.ts'
import { fingerprintOf } from './fingerprint.rules.ts'
import { sentencesOf } from './sentences.rules.ts'

const RUN_SECONDS_MAX = 300
const ORGANIZATIONS_PER_RUN = 100
/** So that an organization with many videos does not delay the others. */
const ASSETS_PER_TURN = 20

/**
 * More than the texts of one asset need. A text that changes during the run is read again; the next run does the rest.
 */
const BATCHES_MAX = 200
const MOMENTS_PER_BATCH = 32

export const embeddingSchedules = (database: Database, server: EmbeddingsServer | undefined): Schedule[] =>
  server
    ? [
        {
          name: 'embed-moments',
          everySeconds: 1,
          runSecondsMax: RUN_SECONDS_MAX,
          run: ({ signal, logger }) => embedQueued(database, server, { signal, logger }),
        },
      ]
    : []

/** Also those that have vectors of another model. Returns the number of assets. */
export const queueAllAssets = (db: OrganizationDb): Promise<number> => store.queueAllAssets(db)

type Run = { readonly signal: AbortSignal; readonly logger: Pick<Logger, 'warn'> }

/** Ends at the first temporary failure of the server; the next run continues. */
async function embedQueued(database: Database, server: EmbeddingsServer, { signal, logger }: Run): Promise<void> {
  const ids = await store.selectOrganizationsToEmbed(database, ORGANIZATIONS_PER_RUN)
  for (const id of ids) {
    const db = database.forOrganization(id)
    for (const asset of await store.selectQueued(db, ASSETS_PER_TURN)) {
      if (signal.aborted) return
      try {
        await embedAsset(db, server, asset, signal)
      } catch (error) {
        if (!(error instanceof ModelServerFailed) || error.isTemporary) {
          // Some servers respond with 500 to a text that is too long, which would stop all others.
          await store.moveToEnd(db, asset)
          throw error
        }
        logger.warn({ err: error, organization_id: id, asset_id: asset.assetId }, 'cannot embed the texts of an asset')
        await store.postponeQueued(db, asset)
      }
    }
  }
}

async function embedAsset(
  db: OrganizationDb,
  server: EmbeddingsServer,
  asset: store.QueuedAsset,
  signal: AbortSignal,
): Promise<void> {
  const ofModel = { assetId: asset.assetId, model: server.modelNumber }
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    const moments = await store.selectUnembedded(db, ofModel, MOMENTS_PER_BATCH)
    if (moments.length === 0) return store.deleteQueued(db, asset)
    const sentences = moments.flatMap((moment) => sentencesOf(moment).map((sentence) => ({ ...moment, ...sentence })))
    const embeddings: store.Embedding[] = []
    for (let first = 0; first < sentences.length; first += TEXTS_PER_REQUEST_MAX) {
      const batch = sentences.slice(first, first + TEXTS_PER_REQUEST_MAX)
      const vectors = await server.embed(
        batch.map(({ said }) => said),
        signal,
      )
      embeddings.push(...batch.map((one, index) => ({ ...one, fingerprint: fingerprintOf(vectors[index] ?? []) })))
    }
    // The rest has no text but spaces.
    if (embeddings.length === 0) return store.deleteQueued(db, asset)
    await store.writeEmbeddings(db, ofModel, embeddings)
  }
}
