import { type AssetId, newUploadSessionUuid, type OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { newAsset } from '@reelkeep/server/modules/assets/assets.ts'
import { createOrganization } from '@reelkeep/server/modules/organizations/organizations.ts'
import { processFile } from '@reelkeep/server/modules/pipeline/pipeline.ts'
import { Database } from '@reelkeep/server/platform/db/database.ts'
import { openOwner, resetDatabase, Superuser, startStack, withDatabase } from '@reelkeep/testkit'
import { postmasterOf } from '../support/cpu-time.ts'
import { inFlight } from '../support/in-flight.ts'

/** Number of concurrent calls that enqueue, each with its own connection, for the pipeline and for the bare queue. */
export const CALLERS = 16
const OWNER_CONNECTIONS = 4

export type PipelineFixture = Awaited<ReturnType<typeof openPipelineFixture>>
export type BenchAsset = { readonly organizationId: OrganizationId; readonly id: AssetId }

/** Creates an empty database, and opens connections as the API and as a superuser. */
export async function openPipelineFixture(name: string) {
  const env = withDatabase(await startStack(), name)
  await resetDatabase(env)
  const database = new Database(
    { url: env.DATABASE_URL, connectionsMax: CALLERS, statementTimeoutSeconds: 60 },
    () => {},
  )
  const superuser = await Superuser.open(env)
  return {
    env,
    database,
    superuser,
    postmaster: await postmasterOf(env.DATABASE_SUPERUSER_URL),
    [Symbol.asyncDispose]: async () => {
      await superuser[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

export async function newOrganizations({ env }: PipelineFixture, count: number) {
  await using owner = openOwner(env)
  const ids: OrganizationId[] = []
  await inFlight(numbersTo(count), OWNER_CONNECTIONS, async () => {
    ids.push(await createOrganization(owner, { name: 'Bench', id: undefined }))
  })
  return ids
}

/** Creates assets that wait for their files, distributed over these organizations. */
export async function newAssets(
  { database }: PipelineFixture,
  organizations: readonly OrganizationId[],
  count: number,
): Promise<BenchAsset[]> {
  const assets: BenchAsset[] = []
  await inFlight(numbersTo(count), CALLERS, async (number) => {
    const organizationId = organizations[number % organizations.length] as OrganizationId
    const db = database.forOrganization(organizationId)
    const { id, query } = newAsset(
      db,
      { ...input, title: `Berlin lecture ${number}` },
      { createdBy: null, uploadSessionUuid: newUploadSessionUuid() },
    )
    await db.run(query)
    assets.push({ organizationId, id })
  })
  return assets
}

/** Enqueues the processing of an uploaded file. */
export async function enqueuePipeline({ database }: PipelineFixture, { organizationId, id }: BenchAsset) {
  const source = { key: `${organizationId}/${id}/file`, version: 'version', etag: 'etag', bytes: 1 }
  await database
    .forOrganization(organizationId)
    .transaction((tx) => processFile(tx, id, { source, detail: 'File uploaded.' }))
}

const input = {
  folder: null,
  resolutions: ['360p', '720p'],
  contentProtection: null,
  generateSubtitle: false,
} as const

export const numbersTo = (length: number) => Array.from({ length }, (_, number) => number)
