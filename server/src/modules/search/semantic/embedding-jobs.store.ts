import type { CueInText } from '@reelkeep/media'
import { sql } from 'kysely'
import type { AssetId, OrganizationId } from '../../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../../platform/db/statement.ts'

const organizationsToEmbed = dedicatedConnection(
  statement(
    ({ limit }: Given<{ limit: number }>) => sql<{ organizationId: OrganizationId }>`
      select organization_id as "organizationId" from organizations_to_embed order by due_at limit ${limit}`,
  ),
)

/** Those that have waited longest. */
export async function selectOrganizationsToEmbed(database: Database, limit: number): Promise<OrganizationId[]> {
  const rows = await database.runUnscoped(organizationsToEmbed({ limit }))
  return rows.map(({ organizationId }) => organizationId)
}

export type QueuedAsset = { readonly assetId: AssetId; readonly changes: number }

const queued = dedicatedConnection(
  statement(
    ({ organizationId, limit }: Given<{ limit: number }>) => sql<QueuedAsset>`
      select asset_id as "assetId", changes from assets_to_embed
      where organization_id = ${organizationId} and due_at <= now() order by due_at limit ${limit}`,
  ),
)

export async function selectQueued(db: OrganizationDb, limit: number): Promise<QueuedAsset[]> {
  const [rows] = await db.run(queued({ limit }))
  return rows
}

export type UnembeddedMoment = {
  readonly source: string
  readonly number: number
  readonly text: string
  readonly startMs: number
  readonly cues: readonly CueInText[] | null
}
type OfModel = { readonly assetId: AssetId; readonly model: number }

const unembedded = dedicatedConnection(
  statement(
    ({ organizationId, assetId, model, limit }: Given<OfModel & { limit: number }>) => sql<UnembeddedMoment>`
      select source, number, text, start_ms as "startMs", cues from moments
      where organization_id = ${organizationId} and asset_id = ${assetId} and not exists (
        select from moment_embeddings as existing
        where existing.organization_id = ${organizationId} and existing.asset_id = ${assetId}
          and existing.source = moments.source and existing.number = moments.number and existing.model = ${model})
      order by source, number limit ${limit}`,
  ),
)

/** Moments of an asset without an embedding of this model. */
export async function selectUnembedded(
  db: OrganizationDb,
  ofModel: OfModel,
  limit: number,
): Promise<UnembeddedMoment[]> {
  const [rows] = await db.run(unembedded({ ...ofModel, limit }))
  return rows
}

type Columns = {
  readonly sources: readonly string[]
  readonly numbers: readonly number[]
  readonly texts: readonly string[]
  readonly sentences: readonly number[]
  readonly starts: readonly number[]
  readonly fingerprints: readonly string[]
}

export type Embedding = {
  readonly source: string
  readonly number: number
  /** The text of the whole moment. */
  readonly text: string
  /** Position of the sentence in the moment. */
  readonly sentence: number
  readonly startMs: number
  readonly fingerprint: string
}

/** A text that was changed or deleted since it was read gets no embedding. */
const insertEmbeddings = dedicatedConnection(
  statement(
    (columns: Given<OfModel & Columns>) => sql`
      insert into moment_embeddings
        (organization_id, asset_id, source, number, sentence, start_ms, model, fingerprint)
      select ${columns.organizationId}, ${columns.assetId}::uuid, source, number, sentence, given.start_ms,
        ${columns.model}::integer,
        given.fingerprint::bit(1024)
      from unnest(${columns.sources}::text[], ${columns.numbers}::integer[], ${columns.texts}::text[],
          ${columns.sentences}::smallint[], ${columns.starts}::integer[], ${columns.fingerprints}::text[])
          as given (source, number, text, sentence, start_ms, fingerprint)
        join moments using (source, number)
      where moments.organization_id = ${columns.organizationId} and moments.asset_id = ${columns.assetId}
        and moments.text = given.text
      for share of moments
      on conflict (organization_id, asset_id, source, number, sentence)
        do update set model = excluded.model, start_ms = excluded.start_ms, fingerprint = excluded.fingerprint`,
  ),
)

export async function writeEmbeddings(
  db: OrganizationDb,
  ofModel: OfModel,
  embeddings: readonly Embedding[],
): Promise<void> {
  await db.run(
    insertEmbeddings({
      ...ofModel,
      sources: embeddings.map(({ source }) => source),
      numbers: embeddings.map(({ number }) => number),
      texts: embeddings.map(({ text }) => text),
      sentences: embeddings.map(({ sentence }) => sentence),
      starts: embeddings.map(({ startMs }) => startMs),
      fingerprints: embeddings.map(({ fingerprint }) => fingerprint),
    }),
  )
}

const removeQueued = dedicatedConnection(
  statement(
    ({ organizationId, assetId, changes }: Given<QueuedAsset>) => sql`
      delete from assets_to_embed
      where organization_id = ${organizationId} and asset_id = ${assetId} and changes = ${changes}`,
  ),
)

/** Unless the asset has changed since it was read. */
export async function deleteQueued(db: OrganizationDb, asset: QueuedAsset): Promise<void> {
  await db.run(removeQueued(asset))
}

const postpone = dedicatedConnection(
  statement(
    ({ organizationId, assetId, changes }: Given<QueuedAsset>) => sql`
      update assets_to_embed set due_at = now() + interval '1 hour'
      where organization_id = ${organizationId} and asset_id = ${assetId} and changes = ${changes}`,
  ),
)

const delay = dedicatedConnection(
  statement(
    ({ organizationId, assetId }: Given<QueuedAsset>) => sql`
      update assets_to_embed set due_at = now() where organization_id = ${organizationId} and asset_id = ${assetId}`,
  ),
)

/** Puts the asset behind all others that are due. */
export async function moveToEnd(db: OrganizationDb, asset: QueuedAsset): Promise<void> {
  await db.run(delay(asset))
}

/** Unless the asset has changed since it was read. */
export async function postponeQueued(db: OrganizationDb, asset: QueuedAsset): Promise<void> {
  await db.run(postpone(asset))
}

const insertAll = dedicatedConnection(
  statement(
    ({ organizationId }: Given<object>) => sql<{ count: number }>`
      with written as (
        insert into assets_to_embed as queued (organization_id, asset_id)
        select distinct organization_id, asset_id from moments where organization_id = ${organizationId}
        order by organization_id, asset_id
        on conflict (organization_id, asset_id) do update set changes = queued.changes + 1, due_at = excluded.due_at
        returning 1)
      select count(*) as count from written`,
  ),
)

/** Returns the number of assets. */
export async function queueAllAssets(db: OrganizationDb): Promise<number> {
  const [[row]] = await db.run(insertAll({}))
  return row?.count ?? 0
}
