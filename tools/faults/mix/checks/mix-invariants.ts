/** Checks the invariants I1 to I14 of a mix after all faults have ended. CONTRIBUTING.md lists them. */
import { type Caller, type StackEnv, Superuser } from '@reelkeep/testkit'
import type { LoadReceiver } from '../../../drills/load/load-receiver.ts'
import type { LoadRecord } from '../../../drills/load/load-record.ts'
import { type DrillReport, describeError } from '../../../drills/support/drill-report.ts'
import { verifyLoad } from '../../../drills/verify/verify-load.ts'
import { sequenceViolations } from '../../events/event-invariants.ts'
import { readLog } from '../../events/event-log.ts'
import type { Churn } from '../churn.ts'
import type { MixService } from '../mix-service.ts'
import { REFUSED_TITLE, type RefusedRequests } from '../refused-requests.ts'
import { type CheckResult, checkCounters, checkLists } from './counter-checks.ts'
import { checkFinished, checkTimelines, rowsOf, rowsTitled } from './row-checks.ts'
import { checkNothingLeft, checkPublished, checkSources } from './storage-checks.ts'

export type Evidence = {
  readonly service: MixService
  /** Settings of the servers, with the current primary. */
  readonly env: StackEnv
  readonly record: LoadRecord
  readonly caller: Caller
  readonly receiver: LoadReceiver
  readonly churn: Churn
  /** The most assets that the organization with a quota had at a time. */
  readonly assetsMost: number
  readonly assetsMax: number
  readonly refused: RefusedRequests
  readonly secrets: readonly string[]
  readonly faults: number
  readonly failovers: number
}

const VIDEOS_SECONDS_MAX = 600
const IDLE_SECONDS_MAX = 300
const FREED_SECONDS_MAX = 420

export async function checkInvariants(report: DrillReport, evidence: Evidence): Promise<void> {
  const { service, env, record, caller, receiver, faults } = evidence
  const add = (what: string, check: () => CheckResult | Promise<CheckResult>) => addCheck(report, what, check)
  report.addLoad('I1 I2 I3 I4 I6', record, await verifyLoad(record, caller, VIDEOS_SECONDS_MAX))
  report.checkNone('unexpected responses', unexpectedErrors(record))
  await receiver.check(report, caller, { name: 'I9', interruptions: faults })
  await add('I9: numbers of the event log', () => checkLog(caller, evidence.failovers))
  await using superuser = await Superuser.open(env)
  await add('I4: finished work', () => checkFinished(superuser, IDLE_SECONDS_MAX))
  await add('I1: uploaded files in storage', () => checkSources(superuser, env))
  await add('I5: timelines', () => checkTimelines(superuser))
  await add('I8: published files in storage', () => checkPublished(superuser, env))
  await reported(report, 'I11 and I12', () => checkChurn(report, evidence, superuser))
  await add('I10: counters, usage and quotas', () => checkCounters(superuser))
  await add('I10: lists', () => checkLists(caller))
  await reported(report, 'I7 and I13', () => checkRefused(report, evidence, superuser))
  const instances = service.nodes.map(({ instance }) => instance)
  await add('I14: secrets in logs', () => checkSecrets(instances, evidence.secrets))
  const ends = instances.flatMap((instance) => instance.violations)
  report.checkNone('processes that ended unexpectedly', ends)
}

/** Adds a check. If it throws, or has nothing to check, it fails, and the others still run. */
export async function addCheck(
  report: DrillReport,
  what: string,
  check: () => CheckResult | Promise<CheckResult>,
): Promise<void> {
  const { checked, violations } = await attempt(check)
  report.check(what, `${checked} checked, ${violations.length} wrong`, {
    isPassed: violations.length === 0 && checked > 0,
    details: violations,
  })
}

/** If the checks throw, they fail, and the others still run. */
async function reported(report: DrillReport, what: string, checks: () => Promise<void>): Promise<void> {
  await checks().catch((error: unknown) => report.check(what, String(error), { isPassed: false }))
}

async function attempt(check: () => CheckResult | Promise<CheckResult>): Promise<CheckResult> {
  try {
    return await check()
  } catch (error) {
    return { checked: 0, violations: [String(error)] }
  }
}

async function checkLog(caller: Caller, failovers: number): Promise<CheckResult> {
  const log = await readLog(caller)
  return { checked: log.length, violations: sequenceViolations(log, failovers) }
}

/** Errors that no fault explains: an internal error, or a refusal of a valid request. */
export function unexpectedErrors({ failed }: Pick<LoadRecord, 'failed'>): string[] {
  // A key is in use for as long as a frozen or partitioned instance has its transaction open.
  const isExplained = (status: number | undefined) => status === undefined || status === 409 || status > 500
  return failed.filter(({ kind, status }) => kind !== 'file' && !isExplained(status)).map(describeError)
}

type ChurnEvidence = Pick<Evidence, 'env' | 'assetsMost' | 'assetsMax'> & {
  readonly churn: Pick<Churn, 'counts' | 'violations' | 'overQuota'> & {
    readonly record: Pick<LoadRecord, 'organizationId'>
  }
}

export async function checkChurn(report: DrillReport, evidence: ChurnEvidence, superuser: Superuser): Promise<void> {
  const { churn, env, assetsMost, assetsMax } = evidence
  const { created, played, deleted, late } = churn.counts
  report.note('videos created, played, deleted again, created late', `${created}, ${played}, ${deleted}, ${late}`)
  report.checkNone('videos that were deleted again: violations', churn.violations)
  const { organizationId } = churn.record
  const rows = await rowsOf(superuser, organizationId)
  const objects = await checkNothingLeft(env, organizationId, FREED_SECONDS_MAX)
  report.checkNone('I11: rows and objects of deleted videos', [...rows, ...objects])
  report.check(`I12: assets with a quota of ${assetsMax}`, `at most ${assetsMost}, refused ${churn.overQuota} times`, {
    // Without any asset, the quota was not tested, or the assets could not be counted.
    isPassed: assetsMost > 0 && assetsMost <= assetsMax,
  })
}

type RefusedEvidence = { readonly refused: Pick<RefusedRequests, 'counts' | 'violations'> }

export async function checkRefused(report: DrillReport, evidence: RefusedEvidence, superuser: Superuser) {
  const { counts, violations } = evidence.refused
  const left = await rowsTitled(superuser, `${REFUSED_TITLE} %`)
  report.check('I7: requests of another organization', `${counts.foreign} sent`, {
    isPassed: violations.length === 0 && counts.foreign > 0,
    details: violations,
  })
  report.check('I13: rows and events of refused requests', `${counts.invalid} sent, ${left.length} left`, {
    isPassed: left.length === 0 && counts.invalid > 0,
    details: left,
  })
}

type Logged = { readonly name: string; readonly log: string }

/** No line of a log contains a secret, and every instance has logged something. */
export function checkSecrets(instances: readonly Logged[], secrets: readonly string[]): CheckResult {
  const lines = instances.flatMap(({ name, log }) => log.split('\n').map((line) => `${name}: ${line}`))
  const leaks = lines.filter((line) => secrets.some((secret) => line.includes(secret)))
  const silent = instances.filter(({ log }) => log === '').map(({ name }) => `${name} has logged nothing`)
  return { checked: lines.length, violations: [...leaks, ...silent] }
}
