import { sql } from 'kysely'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import { type Claims, isAlive, isOwnedBy, release } from '../../platform/db/claims.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement } from '../../platform/db/statement.ts'
import type { StepWait } from '../assets/assets.ts'
import { unpublishSteps } from '../published-files/published-files.ts'
import type { Claim, Fence, StepProgress } from './pipeline.rules.ts'
import { stepLimits } from './steps/retry-policies.ts'

type OfAsset = { readonly assetId: AssetId }
/** A step without parts has one part with an empty name. */
type OfStep = OfAsset & { readonly step: string; readonly part: string }
/** A step as claimed by one attempt. */
type OwnedStep = OfStep & Fence

/** Identifies a step, or a part of it, and its queue. */
export type StepRef = { readonly step: string; readonly part: string; readonly queue: string }

const ofAsset = ({ organizationId, assetId }: Given<OfAsset>) =>
  sql`organization_id = ${organizationId} and asset_id = ${assetId}`
const ofStep = (given: Given<OfStep>) => sql`${ofAsset(given)} and step = ${given.step} and part = ${given.part}`

const inSeconds = (seconds: unknown) => sql`clock_timestamp() + make_interval(secs => ${seconds})`
const waitsUntil = inSeconds(sql.lit(stepLimits.waitTimeoutSeconds))

/** The owner of a step is an attempt, not a worker: a worker that was presumed dead may resume an old attempt. */
const steps: Claims = {
  table: sql`pipeline_steps`,
  owner: sql`token`,
  isClaimed: sql`state = 'running'`,
  released: sql`state = 'waiting', token = null, beat_at = null, under_way = null, due_at = ${waitsUntil}`,
}

/** The fence: true only for the attempt that owns the step. Every write of an attempt has this condition. */
const isOwned = (given: Given<OwnedStep>) =>
  sql`${ofStep(given)} and ${isOwnedBy(steps, given.token)} and nonce = ${given.nonce}`

/** The first run of a rendering has no row. */
const insertRun = statement(
  (given: Given<OfAsset>) => sql<{ run: number }>`
    insert into pipelines as mine (organization_id, asset_id, run)
    values (${given.organizationId}, ${given.assetId}, 1)
    on conflict (organization_id, asset_id) do update set run = mine.run + 1
    returning run`,
)

const deleteSteps = statement((given: Given<OfAsset>) => sql`delete from pipeline_steps where ${ofAsset(given)}`)

export const insertStep = statement(
  (given: Given<OfAsset & StepRef>) => sql`
    insert into pipeline_steps (organization_id, asset_id, step, part, queue, state, due_at)
    values (${given.organizationId}, ${given.assetId}, ${given.step}, ${given.part}, ${given.queue}, 'waiting',
      ${waitsUntil})`,
)

/** Queries that start a new run from the first step. The first query returns the number of the run. */
export const newRunQueries = (assetId: AssetId, firstStep: StepRef) =>
  [
    insertRun({ assetId }),
    deleteSteps({ assetId }),
    unpublishSteps({ assetId }),
    insertStep({ assetId, ...firstStep }),
  ] as const

const resume = statement(
  (given: Given<OfAsset>) => sql<StepRef>`
    update pipeline_steps set state = 'waiting', token = null, takes = 0, failed_on = '{}', due_at = ${waitsUntil}
    where ${ofAsset(given)} and state = 'stopped'
    returning step, part, queue`,
)

/** Starts another run of a rendering, which has no steps. Returns its number. */
export async function startRenderRun(tx: OrganizationDb, assetId: AssetId): Promise<number> {
  const [[inserted]] = await tx.run(insertRun({ assetId }))
  return inserted?.run ?? 1
}

const selectRun = statement(
  (given: Given<OfAsset>) => sql<{ run: number }>`select run from pipelines where ${ofAsset(given)}`,
)

/** As a query: the number of the latest run; no row in the first run of a rendering. */
export const latestRun = (assetId: AssetId) => selectRun({ assetId })

/** Starts another run that resumes the stopped steps. Returns its number and these steps. */
export async function resumeRun(
  tx: OrganizationDb,
  assetId: AssetId,
): Promise<{ readonly run: number; readonly steps: readonly StepRef[] }> {
  const [[inserted], resumed] = await tx.run(insertRun({ assetId }), resume({ assetId }))
  return { run: inserted?.run ?? 1, steps: resumed }
}

/** Claims the step, even if another attempt at it has not ended, and draws a new fence number. `nonce` is random. */
export const claimStep = statement(
  (given: Given<OfStep & { run: number; timeoutSeconds: number; nonce: string }>) => sql<Claim>`
    with before as (
      select state from pipeline_steps where ${ofStep(given)} and state in ('waiting', 'running')
    ),
    drawn as (
      update pipelines set last_token = last_token + 1
      where ${ofAsset(given)} and run = ${given.run} and exists (select from before)
      returning last_token
    )
    update pipeline_steps set state = 'running', token = drawn.last_token, nonce = ${given.nonce},
      takes = takes + 1, beat_at = clock_timestamp(), due_at = ${inSeconds(given.timeoutSeconds)}, under_way = null
    from drawn, before
    where ${ofStep(given)} and pipeline_steps.state in ('waiting', 'running')
    returning asset_id as "assetId", step, part, token, nonce, takes as "claimCount",
      before.state = 'running' as "isReclaimed", failed_on as "failedOn"`,
)

/** Time between two heartbeats that does not count as running time: an outage, or a step of the database's clock. */
const gap = sql`(clock_timestamp() - beat_at)`
const hasGap = sql`${gap} not between interval '-1 minute' and interval '1 minute'`

const heartbeat = statement(
  (given: Given<OwnedStep & { progress: string | null }>) => sql<{ step: string }>`
    update pipeline_steps set beat_at = clock_timestamp(), under_way = ${given.progress}::jsonb,
      due_at = case when ${hasGap} then due_at + ${gap} else due_at end
    where ${isOwned(given)} returning step`,
)

/** Sends a heartbeat with the progress. False if the attempt no longer owns the step. */
export async function renewClaim(
  db: OrganizationDb,
  claim: Claim,
  progress: StepProgress | undefined,
): Promise<boolean> {
  const [rows] = await db.run(heartbeat({ ...claim, progress: progress ? JSON.stringify(progress) : null }))
  return rows.length > 0
}

/**
 * Whether another step of the asset is waiting or running. The caller has locked the asset, so its steps cannot change.
 */
const isOtherOpen = (given: Given<OfStep>) => sql`exists (
  select from pipeline_steps where ${ofAsset(given)} and state in ('waiting', 'running')
    and (step, part) <> (${given.step}, ${given.part}))`

export const finishStep = statement(
  (given: Given<OwnedStep>) => sql<{ isOtherOpen: boolean }>`
    update pipeline_steps set state = 'done', beat_at = null, under_way = null
    where ${isOwned(given)} returning ${isOtherOpen(given)} as "isOtherOpen"`,
)

const finishedBy = statement(
  (given: Given<OwnedStep>) => sql<object>`
    select from pipeline_steps
    where ${ofStep(given)} and state = 'done' and token = ${given.token} and nonce = ${given.nonce}`,
)

/** Whether this attempt has finished the step. */
export async function hasFinished(tx: OrganizationDb, claim: Claim): Promise<boolean> {
  const [rows] = await tx.run(finishedBy(claim))
  return rows.length > 0
}

const giveUp = statement(
  (given: Given<OfStep>) => sql<{ isOtherOpen: boolean }>`
    update pipeline_steps set state = 'given_up', token = null, beat_at = null, under_way = null
    where ${ofStep(given)} and state in ('waiting', 'running')
    returning ${isOtherOpen(given)} as "isOtherOpen"`,
)

/** Gives up the step. Returns whether other steps are still open. */
export async function giveUpStep(tx: OrganizationDb, { assetId, step, part }: OfStep): Promise<boolean> {
  const [[row]] = await tx.run(giveUp({ assetId, step, part }))
  return row?.isOtherOpen ?? false
}

const attemptsBeyondSteps = statement(
  (given: Given<OfAsset>) => sql<{ hasLostAttempts: boolean }>`
    select last_token > (select count(*) from pipeline_steps where ${ofAsset(given)} and state = 'done')
      as "hasLostAttempts" from pipelines where ${ofAsset(given)}`,
)

/** Whether an attempt did not finish its step and so may have left files in storage. */
export async function hasLostAttempts(tx: OrganizationDb, assetId: AssetId): Promise<boolean> {
  const [[row]] = await tx.run(attemptsBeyondSteps({ assetId }))
  return row?.hasLostAttempts ?? false
}

const releaseOwned = statement((given: Given<OwnedStep & { claimCount: number; failedOn: string | null }>) => {
  const released = sql`${steps.released}, takes = ${given.claimCount},
    failed_on = array_remove(failed_on, ${given.failedOn}) || array_remove(array[${given.failedOn}::text], null)`
  return sql<{ step: string }>`${release({ ...steps, released }, isOwned(given))} returning step`
})

/**
 * Makes the step wait for another attempt, without counting this one as crashed. `failedOn` is the worker on which the
 * file failed; null if it did not. Returns false if this attempt no longer owns the step.
 */
export async function releaseStep(db: OrganizationDb, claim: Claim, failedOn: string | null = null): Promise<boolean> {
  const [rows] = await db.run(releaseOwned({ ...claim, claimCount: claim.claimCount - 1, failedOn }))
  return rows.length > 0
}

const openStep = statement(
  (given: Given<OfStep & { run: number; queue: string; workerId: string }>) => sql<{ isFreshElsewhere: boolean }>`
    select ${given.workerId} = any (failed_on)
      and exists (select from worker_leases other where other.worker_id <> all (failed_on)
        and ${given.queue} = any (other.queues) and ${isAlive(sql`other.worker_id`)}) as "isFreshElsewhere"
    from pipeline_steps where ${ofStep(given)} and state in ('waiting', 'running')
      and exists (select from pipelines where ${ofAsset(given)} and run = ${given.run})`,
)

/**
 * A step that is not done, cancelled or of an earlier run. `isFreshElsewhere`: the file failed on this worker, and
 * there is another worker on which it did not.
 */
export async function findOpenStep(
  db: OrganizationDb,
  given: OfStep & { readonly run: number; readonly queue: string; readonly workerId: string },
): Promise<{ readonly isFreshElsewhere: boolean } | undefined> {
  const [[row]] = await db.run(openStep(given))
  return row
}

const lockOwned = statement(
  (given: Given<OwnedStep>) => sql<{ step: string }>`
    select step from pipeline_steps where ${isOwned(given)} for update`,
)

/** Whether this attempt owns the step; if so, the row is locked until the transaction ends. */
export async function lockOwnedStep(tx: OrganizationDb, claim: Claim): Promise<boolean> {
  const [rows] = await tx.run(lockOwned(claim))
  return rows.length > 0
}

const stop = statement(
  (given: Given<OfAsset>) => sql`
    update pipeline_steps set state = 'stopped', token = null, beat_at = null, under_way = null
    where ${ofAsset(given)} and state in ('waiting', 'running')`,
)

/** Stops all steps of the asset: no attempt can finish one of them anymore. */
export async function stopSteps(tx: OrganizationDb, assetId: AssetId): Promise<void> {
  await tx.run(stop({ assetId }))
}

const abandon = statement(
  (given: Given<OfAsset>) => sql`
    update pipeline_steps set state = 'given_up' where ${ofAsset(given)} and state = 'stopped'`,
)

/** Gives up stopped steps: a retry starts with the first step. */
export async function abandonSteps(tx: OrganizationDb, assetId: AssetId): Promise<void> {
  await tx.run(abandon({ assetId }))
}

/**
 * Whether an attempt has sent no heartbeats for a minute: its worker is dead or cut off. A heartbeat in the future was
 * sent before the database's clock was set back.
 */
const isSilent = sql`${hasGap}`

// The locking read sees the latest row, so a concurrent heartbeat counts.
const releaseSilent = statement(
  (given: Given<OfStep>) => sql<StepRef & { run: number; token: number }>`
    with lost as (
      select token from pipeline_steps
      where ${ofStep(given)} and ${steps.isClaimed} and ${isSilent}
      for update
    )
    update pipeline_steps mine set ${steps.released}
    from lost, pipelines p
    where mine.organization_id = ${given.organizationId}
      and mine.asset_id = ${given.assetId} and mine.step = ${given.step} and mine.part = ${given.part}
      and p.organization_id = ${given.organizationId} and p.asset_id = ${given.assetId}
    returning mine.step, mine.part, mine.queue, p.run, lost.token`,
)

/** Releases the step of an attempt without heartbeats; undefined if the attempt has sent one since. */
export async function releaseSilentStep(tx: OrganizationDb, { assetId, step, part }: DueStep) {
  const [[released]] = await tx.run(releaseSilent({ assetId, step, part }))
  return released
}

const overdue = statement(
  (given: Given<OfStep>) => sql<{ run: number }>`
    select (select run from pipelines where ${ofAsset(given)}) as run from pipeline_steps
    where ${ofStep(given)} and due_at <= clock_timestamp()
      and (state = 'waiting' or (state = 'running' and not ${isSilent}))
    for update`,
)

/** The run of a step that has passed its deadline. Steps whose worker died are excluded, because they are retried. */
export async function findOverdue(tx: OrganizationDb, { assetId, step, part }: DueStep) {
  const [[row]] = await tx.run(overdue({ assetId, step, part }))
  return row
}

export type DueStep = {
  readonly organizationId: OrganizationId
  readonly assetId: AssetId
  readonly step: string
  readonly part: string
  readonly isOverdue: boolean
}

const due = statement(
  ({ limit }: Given<{ limit: number }>) => sql<DueStep>`
    select organization_id as "organizationId", asset_id as "assetId", step, part,
      is_overdue as "isOverdue"
    from due_pipeline_steps order by since limit ${limit}`,
)

export const selectDue = (database: Database, limit: number) => database.runUnscoped(due({ limit }))

/** The step that the asset is waiting for; running steps first. */
export const currentStep = statement(
  (given: Given<OfAsset>) => sql<StepWait>`
    select step, state, due_at as until from pipeline_steps
    where ${ofAsset(given)} and state in ('waiting', 'running')
    order by state, step, part limit 1`,
)

const ownedOutputs = statement(
  (given: Given<OfAsset>) => sql<Fence & { step: string }>`
    select step, token, nonce from pipeline_steps mine
    where ${ofAsset(given)} and (state = 'running' or state = 'done' and not exists (
      select from published_files files
      where files.organization_id = ${given.organizationId} and files.asset_id = ${given.assetId}
        and files.step = mine.step and files.part = mine.part))`,
)

/**
 * The attempts whose output files may become visible, or are visible without a row in published_files because a worker
 * of an earlier release stored them.
 */
export async function selectOwnedOutputs(db: OrganizationDb, assetId: AssetId) {
  const [rows] = await db.run(ownedOutputs({ assetId }))
  return rows
}

const draw = statement(
  (given: Given<OfAsset>) => sql<{ token: number }>`
    update pipelines set last_token = last_token + 1 where ${ofAsset(given)} returning last_token as token`,
)

/** Draws a fence number for files that are stored again, outside of a run. Undefined if the asset was deleted. */
export async function drawToken(db: OrganizationDb, assetId: AssetId): Promise<number | undefined> {
  const [[drawn]] = await db.run(draw({ assetId }))
  return drawn?.token
}
