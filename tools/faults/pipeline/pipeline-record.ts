/** The records of the assets of a run, read directly from the database. */
import { type StackEnv, Superuser } from '@reelkeep/testkit'
import type { Publication } from './publications.ts'
import { readPublications } from './publications.ts'

export type StepRow = {
  readonly assetId: string
  readonly step: string
  readonly state: string
  readonly token: number | null
  readonly claimCount: number
}

export type TimelineRow = {
  readonly assetId: string
  readonly number: number
  readonly at: Date
  readonly what: string
  readonly detail: string
}

type AssetRow = {
  readonly assetId: string
  readonly status: string
  readonly errorCode: string | null
}

export type AssetRecord = {
  /** Row of the asset; undefined if the asset is deleted. */
  readonly asset: AssetRow | undefined
  readonly steps: readonly StepRow[]
  readonly timeline: readonly TimelineRow[]
  readonly publications: readonly Publication[]
}

/** Reads all records. Returns a function that finds the record of an asset. */
export async function readRecords(env: StackEnv): Promise<(assetId: string) => AssetRecord> {
  await using superuser = await Superuser.open(env)
  const assets = await superuser.query<AssetRow>(
    `select id as "assetId", status, error_code as "errorCode" from assets`,
  )
  const steps = await superuser.query<StepRow>(
    `select asset_id as "assetId", step, state, token, takes as "claimCount" from pipeline_steps`,
  )
  const timeline = await superuser.query<TimelineRow>(
    `select asset_id as "assetId", number, at, what, detail from asset_happenings order by number`,
  )
  const publications = await readPublications(env)
  const byAsset = <Row extends { readonly assetId: string }>(rows: readonly Row[]) => {
    const groups = Map.groupBy(rows, ({ assetId }) => assetId)
    return (assetId: string) => groups.get(assetId) ?? []
  }
  const [assetOf, stepsOf] = [byAsset(assets), byAsset(steps)]
  const [timelineOf, publicationsOf] = [byAsset(timeline), byAsset(publications)]
  return (assetId) => ({
    asset: assetOf(assetId)[0],
    steps: stepsOf(assetId),
    timeline: timelineOf(assetId),
    publications: publicationsOf(assetId),
  })
}

/** Number of unfinished steps, plus deleted assets whose files are not freed yet. */
export async function countUnfinished(env: StackEnv): Promise<number> {
  await using superuser = await Superuser.open(env)
  const [row] = await superuser.query<{ count: number }>(
    `select (select count(*) from pipeline_steps where state in ('waiting', 'running'))::int
       + (select count(*) from dbos.workflow_status
          where name = 'free-assets' and status in ('ENQUEUED', 'PENDING', 'DELAYED'))::int as count`,
  )
  return row?.count ?? 0
}
