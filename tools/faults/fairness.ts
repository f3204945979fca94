/** Measures how long the first video of a small organization waits while a large one fills every worker. */
import { newUploadSessionUuid, type OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { newAsset, type Source } from '@reelkeep/server/modules/assets/assets.ts'
import { processFile } from '@reelkeep/server/modules/pipeline/pipeline.ts'
import { Database, type OrganizationDb } from '@reelkeep/server/platform/db/database.ts'
import {
  ApiProcess,
  newCaller,
  newOrganization,
  openOwner,
  poll,
  resetDatabase,
  type StackEnv,
  Superuser,
  setUpUploads,
} from '@reelkeep/testkit'
import { median } from '../bench/support/table.ts'
import { upload } from './pipeline/pipeline-actions.ts'
import { createRecordTables, readChanges, type StepChange } from './pipeline/publications.ts'
import { WorkerFleet } from './pipeline/worker-fleet.ts'

/**
 * Number of small organizations. Their videos are enqueued one after the other, so that each competes only with the
 * large one.
 */
const NEIGHBORS = 10

/** Maximum wait of a small organization, in step durations of the large organization. */
const STEPS_WAITED_MAX = 2

/** After this many finished steps, every worker is busy. */
const STEPS_BEFORE = 60

const PIPELINES_PER_TRANSACTION = 100
const TIMEOUT_SECONDS = 120

const settings = {
  STORAGE_UPLOADS_BUCKET: 'fair-uploads',
  STORAGE_MEDIA_BUCKET: 'fair-media',
  DATABASE_CONNECTIONS_MAX: '8',
}

export type Fairness = {
  readonly workers: number
  readonly step: string
  /** Time from the claim to the end of a step of the large organization. */
  readonly stepMilliseconds: number
  /** Time from enqueueing to the claim, for each step of the small organizations. */
  readonly waitedMilliseconds: readonly number[]
  readonly stillWaiting: number
}

/**
 * Whether the waits are within the limit. Only the first step has a limit; the waits of later steps are only printed.
 */
export const isFair = ({ step, stepMilliseconds, waitedMilliseconds }: Fairness) =>
  step !== 'video-probe' || Math.max(...waitedMilliseconds) <= STEPS_WAITED_MAX * stepMilliseconds

export async function measureFairness(
  env: StackEnv,
  { workers, pipelines }: { readonly workers: number; readonly pipelines: number },
  print: (line: string) => void,
): Promise<Fairness[]> {
  await resetDatabase(env)
  await setUpUploads(env, settings)
  const source = await shareFile(env)
  await createRecordTables(env)
  await using database = new Database(
    { url: env.DATABASE_URL, connectionsMax: 16, statementTimeoutSeconds: 10 },
    () => {},
  )
  const large = database.forOrganization(await newOrganizationId(env))
  await queuePipelines(large, pipelines, source)
  print(`${pipelines} pipelines of one organization wait for ${workers} workers`)
  const entry = 'tools/faults/pipeline/fairness-worker.ts'
  await using _ = await WorkerFleet.start({ entry, count: workers, env, settings })
  await waitForChanges(env, `state = 'done'`, STEPS_BEFORE)
  const neighbors: string[] = []
  for (let count = 0; count < NEIGHBORS; count++) {
    const organizationId = await newOrganizationId(env)
    const [assetId = ''] = await queuePipelines(database.forOrganization(organizationId), 1, source)
    neighbors.push(assetId)
    await waitForChanges(env, `asset_id = '${assetId}' and state = 'done'`, 2)
  }
  const changes = await readChanges(env)
  return ['video-probe', 'video-encode'].map((step) => figuresOf({ step, workers }, changes, new Set(neighbors)))
}

/** Uploads one real file, which all assets share. */
async function shareFile(env: StackEnv): Promise<Source> {
  await using api = await ApiProcess.start(settings, env)
  const assetId = await upload(await newCaller(api.send, env), 'Shared')
  await using superuser = await Superuser.open(env)
  const [source] = await superuser.query<Source>(
    `select source_key as key, source_version as version, source_etag as etag, bytes::float8 as bytes
     from assets where id = $1`,
    [assetId],
  )
  await superuser.query('delete from dbos.workflow_status')
  if (!source) throw new Error('The shared file has not arrived')
  return source
}

async function newOrganizationId(env: StackEnv): Promise<OrganizationId> {
  await using owner = openOwner(env)
  return (await newOrganization(owner)).organizationId
}

/** Creates assets and enqueues their processing, as the API does when an upload is complete. */
async function queuePipelines(db: OrganizationDb, count: number, source: Source): Promise<string[]> {
  const assetIds: string[] = []
  const input = {
    title: 'Short',
    folder: null,
    resolutions: ['360p'] as const,
    contentProtection: null,
    generateSubtitle: false,
  }
  while (assetIds.length < count) {
    const batch = Math.min(PIPELINES_PER_TRANSACTION, count - assetIds.length)
    await db.transaction(async (tx) => {
      for (let count = 0; count < batch; count++) {
        const { id, query } = newAsset(tx, input, { createdBy: null, uploadSessionUuid: newUploadSessionUuid() })
        await tx.run(query)
        await processFile(tx, id, { source, detail: 'File uploaded.' })
        assetIds.push(id)
      }
    })
  }
  return assetIds
}

async function waitForChanges(env: StackEnv, condition: string, count: number): Promise<void> {
  await using superuser = await Superuser.open(env)
  const changes = `select from step_changes where ${condition} limit ${count}`
  await poll(condition, TIMEOUT_SECONDS, async () => (await superuser.query(changes)).length >= count)
}

function figuresOf(
  { step, workers }: Pick<Fairness, 'step' | 'workers'>,
  changes: readonly StepChange[],
  neighbors: ReadonlySet<string>,
): Fairness {
  const ofStep = changes.filter((change) => change.step === step)
  const times = [...Map.groupBy(ofStep, ({ assetId }) => assetId)].map(([assetId, own]) => {
    const at = (wanted: StepChange['state']) => own.find(({ state }) => state === wanted)?.at.getTime() ?? Number.NaN
    return { assetId, waited: at('running') - at('waiting'), took: at('done') - at('running') }
  })
  const isSmall = ({ assetId }: (typeof times)[number]) => neighbors.has(assetId)
  const large = times.filter((time) => !isSmall(time))
  return {
    workers,
    step,
    stepMilliseconds: median(large.map(({ took }) => took).filter((took) => !Number.isNaN(took))),
    waitedMilliseconds: times.filter(isSmall).map(({ waited }) => waited),
    stillWaiting: large.filter(({ waited }) => Number.isNaN(waited)).length,
  }
}
