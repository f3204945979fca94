/** Checks the rows of assets, jobs and events after all faults have ended. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Superuser } from '@reelkeep/testkit'
import { timelineViolation } from '../../pipeline/pipeline-invariants.ts'
import type { CheckResult } from './counter-checks.ts'

/** Length of an error that is printed, as the engine stores it. */
const ERROR_LENGTH = 500

const unfinished = `
  select 'step ' || step || ' of ' || asset_id || ' is ' || state as what from pipeline_steps
    where state in ('waiting', 'running')
  union all
  select 'job ' || name || ' ' || workflow_uuid || ' is ' || status
      || coalesce(': ' || left(coalesce(ended.error, job.error), ${ERROR_LENGTH}), '')
    from dbos.workflow_status job left join dbos.workflow_output ended using (workflow_uuid)
    where status not in ('SUCCESS', 'DELAYED')
  union all
  select 'event ' || type || ' is not sequenced' from event_outbox
  union all
  select 'asset ' || id || ' is ' || status from assets where status in ('Queued', 'Processing')
  union all
  select 'session ' || uuid || ' is ' || status from upload_sessions
    where status in ('Created', 'Uploading') and closes_at < now()`

/** Waits until all work is finished, or the time limit passes. A delayed job is not due yet, for example a clean-up. */
export async function checkFinished(superuser: Superuser, secondsMax: number): Promise<CheckResult> {
  const deadline = performance.now() + secondsMax * 1000
  for (;;) {
    const rows = await superuser.query<{ what: string }>(unfinished)
    if (rows.length === 0 || performance.now() > deadline) {
      const [done] = await superuser.query<{ count: number }>(
        `select (select count(*) from pipeline_steps)::int + (select count(*) from dbos.workflow_status)::int as count`,
      )
      return { checked: done?.count ?? 0, violations: rows.map(({ what }) => what) }
    }
    await sleep(500)
  }
}

type TimelineEntry = { readonly number: number; readonly what: string; readonly detail: string }

/** The status of an asset only changes along its timeline, which has no gap. */
export async function checkTimelines(superuser: Superuser): Promise<CheckResult> {
  const assets = await superuser.query<{ id: string; status: string; timeline: TimelineEntry[] }>(
    `select id, status, (select coalesce(json_agg(entry order by number), '[]') from asset_happenings as entry
       where entry.organization_id = assets.organization_id and entry.asset_id = assets.id) as timeline
     from assets where bytes is not null`,
  )
  const violations = assets.flatMap(({ id, status, timeline }) => {
    const expected = status === 'Completed' ? 'Completed' : 'Error'
    // The clock of Postgres has stepped, so times may go back.
    const entries = timeline.map((entry) => ({ ...entry, at: new Date(0) }))
    const violation = timelineViolation({ expected }, entries)
    return violation ? [`${id}: ${violation}`] : []
  })
  return { checked: assets.length, violations }
}

type Found = { readonly what: string }

/** What an organization still has of its videos. */
export async function rowsOf(superuser: Superuser, organizationId: string): Promise<string[]> {
  const rows = await superuser.query<Found>(
    `select 'asset ' || id || ', ' || title as what from assets where organization_id = $1
     union all select 'session ' || uuid from upload_sessions where organization_id = $1
     union all select 'file ' || prefix from published_files where organization_id = $1`,
    [organizationId],
  )
  return rows.map(({ what }) => what)
}

/** The folders, assets and events with a title like this. */
export async function rowsTitled(superuser: Superuser, pattern: string): Promise<string[]> {
  const rows = await superuser.query<Found>(
    `select 'folder ' || title as what from folders where title like $1
     union all select 'asset ' || title from assets where title like $1
     union all select 'event ' || number from events where data::text like '%"' || $1`,
    [pattern],
  )
  return rows.map(({ what }) => what)
}
