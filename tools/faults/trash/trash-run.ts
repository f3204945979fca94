/**
 * One round: runs callers and faults on schedule, lets the service recover, then checks every organization.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { folders } from '@reelkeep/contract'
import { newCaller, type StackEnv } from '@reelkeep/testkit'
import type { KillableService } from '../support/killable-service.ts'
import { sendWithRetries } from '../support/send-with-retries.ts'
import { runActions } from './trash-actions.ts'
import type { TrashContext } from './trash-context.ts'
import {
  measurePlayback,
  type PlaybackDelays,
  placesOf,
  restoreViolations,
  stateViolations,
  storageViolations,
} from './trash-invariants.ts'
import type { ProcessFault, TrashRound, TrashSchedule } from './trash-schedule.ts'
import { newVideo, type Tools, type Video } from './trash-video.ts'

/** Limit of a delay of playback. */
const PLAYBACK_SECONDS_MAX = 5
/** Time limit for the deletion of files after the last fault. Covers retries of a job that was killed. */
const RECOVERY_SECONDS_MAX = 300

export type RoundOutcome = {
  readonly restored: number
  readonly purged: number
  /** Versions that were uploaded. */
  readonly replaced: number
  readonly delays: readonly PlaybackDelays[]
  readonly violations: readonly string[]
}

export type Service = { readonly env: StackEnv; readonly processes: KillableService; readonly tools: Tools }

export async function runRound(service: Service, round: TrashRound): Promise<RoundOutcome> {
  const contexts: TrashContext[] = []
  for (const _ of round.schedules) contexts.push(await newContext(service))
  await Promise.all([
    ...round.schedules.map((schedule, index) => runSchedule(contexts[index] as TrashContext, schedule)),
    killAll(service.processes, round.faults),
  ])
  const outcomes: RoundOutcome[] = []
  const deadline = performance.now() + RECOVERY_SECONDS_MAX * 1000
  for (const context of contexts) outcomes.push(await check(context, deadline))
  return {
    restored: outcomes.reduce((sum, { restored }) => sum + restored, 0),
    purged: outcomes.reduce((sum, { purged }) => sum + purged, 0),
    replaced: outcomes.reduce((sum, { replaced }) => sum + replaced, 0),
    delays: outcomes.flatMap(({ delays }) => delays),
    violations: outcomes.flatMap(({ violations }) => violations),
  }
}

/** An organization with two folders, one in the other, and three videos at each level, of which one is replaced. */
async function newContext({ env, processes, tools }: Service): Promise<TrashContext> {
  const caller = await newCaller(
    sendWithRetries(() => processes.api),
    env,
  )
  const newFolder = async (title: string, parent: string | null) =>
    (await caller.post<folders.Folder>('assets/folders/', { title, parent })).body.uuid
  const outer = await newFolder('Outer', null)
  const inner = await newFolder('Inner', outer)
  const videos: Video[] = []
  for (const [number, folder] of [null, null, null, outer, outer, outer, inner, inner, inner].entries()) {
    videos.push(await newVideo(tools, caller, { number, folder, isReplaced: number % 3 === 2 }))
  }
  const shared = { held: new Set<string>(), mayBePurged: new Set<string>(), violations: [] }
  return { tools, caller, videos, folders: [outer, inner], ...shared }
}

async function runSchedule(context: TrashContext, { callers }: TrashSchedule): Promise<void> {
  await Promise.all(callers.map((actions) => runActions(context, actions)))
}

/** Kills processes on schedule, one after the other: a killed process runs again before the next fault. */
async function killAll(processes: KillableService, faults: readonly ProcessFault[]): Promise<void> {
  const start = performance.now()
  for (const { target, worker, afterMilliseconds } of faults) {
    await sleep(Math.max(0, afterMilliseconds - (performance.now() - start)))
    await processes.restart(target === 'api' ? 'api' : worker)
  }
}

async function check(context: TrashContext, deadline: number): Promise<RoundOutcome> {
  await waitForWorkers(context, deadline)
  const violations = [...context.violations, ...(await stateViolations(context))]
  const before = await placesOf(context.tools, context.videos)
  violations.push(...(await restoreViolations(context)))
  const delays = await measurePlayback(context)
  if (delays && Math.max(delays.stopped, delays.returned) > PLAYBACK_SECONDS_MAX) {
    violations.push(`playback stopped after ${delays.stopped} s and returned after ${delays.returned} s`)
  }
  violations.push(...(await storageViolations(context, deadline)))
  const count = (place: string) => [...before.values()].filter((one) => one === place).length
  return {
    restored: count('trash'),
    purged: count('gone'),
    replaced: context.videos.reduce((sum, { versions }) => sum + versions.size - 1, 0),
    delays: delays ? [delays] : [],
    violations: violations.map((violation) => `${context.caller.organizationId}: ${violation}`),
  }
}

/** Waits until the workers have ended all bulk operations and purged what is due. */
async function waitForWorkers({ tools, caller }: TrashContext, deadline: number): Promise<void> {
  const pending = `select 1 from assets where organization_id = $1 and purge_at <= now() and deleted_with is null
    union all select 1 from folders where organization_id = $1 and purge_at <= now() and deleted_with = uuid
    union all select 1 from bulk_operations where organization_id = $1 and finished_at is null`
  while ((await tools.superuser.query(pending, [caller.organizationId])).length > 0) {
    if (performance.now() > deadline) return
    await tools.superuser.query(`update schedules set due_at = now() where name = 'purge-trash'`)
    await sleep(100)
  }
}
