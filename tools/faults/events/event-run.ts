/**
 * One round: runs callers, receiver modes and faults on schedule, lets the service recover, then checks every
 * organization.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type StackEnv, Superuser } from '@reelkeep/testkit'
import { stackEnvironment } from '@reelkeep/testkit/settings'
import type { KillableService } from '../support/killable-service.ts'
import { EventFixture } from './event-fixture.ts'
import { type EventRound, type ProcessFault, RECEIVERS_MAX } from './event-schedule.ts'

/**
 * Time limit for the delivery of all events after the last fault. Covers the lease of a dead worker, the longest pause
 * between two attempts, and a busy machine.
 */
const RECOVERY_SECONDS_MAX = 600

const POLL_MILLISECONDS = 100

/**
 * First port of the receivers. It is below the range of ephemeral ports, so that no other process gets the port while a
 * receiver is down.
 */
const FIRST_PORT = Number(stackEnvironment.STACK_PORT) + 40

export type RoundOutcome = {
  readonly events: number
  readonly deliveries: number
  /** Number of arrivals, not counting the first arrival of each event. */
  readonly repetitions: number
  /** Seconds from the last fault until everything was delivered. */
  readonly recoverySeconds: number
  readonly violations: readonly string[]
}

export async function runRound(env: StackEnv, service: KillableService, round: EventRound): Promise<RoundOutcome> {
  await using cleanup = new AsyncDisposableStack()
  const fixtures: EventFixture[] = []
  for (const [index, schedule] of round.schedules.entries()) {
    const fixture = await EventFixture.open(env, service, schedule, FIRST_PORT + index * RECEIVERS_MAX)
    fixtures.push(cleanup.use(fixture))
  }
  await Promise.all([...fixtures.map((fixture) => fixture.run()), killAll(service, round.faults)])
  if (round.isApiKilledLast) {
    await Promise.all(fixtures.map((fixture) => fixture.changeOnce()))
    await service.restart('api')
  }
  const recoveryStart = performance.now()
  const deadline = recoveryStart + RECOVERY_SECONDS_MAX * 1000
  const recovery = {
    env,
    organizationIds: fixtures.map((fixture) => fixture.organizationId),
    deadline,
  }
  // Waits until all events are sequenced before the log is read, because reading the log would sequence them.
  const unsequenced = await waitUntilNone('select id from event_outbox where true', recovery)
  const violations = await Promise.all(fixtures.map((fixture) => fixture.findViolations(deadline)))
  const recoverySeconds = (performance.now() - recoveryStart) / 1000
  // A delivery that was sent but not recorded is repeated, so at the end every delivery must be recorded.
  const undelivered = `select event_id as id from webhook_deliveries where state <> 'delivered'`
  const waiting = await waitUntilNone(undelivered, recovery)
  const sum = (count: (fixture: EventFixture) => number) => fixtures.reduce((all, one) => all + count(one), 0)
  return {
    events: sum(({ log }) => log.length),
    deliveries: sum((fixture) => fixture.delivered),
    repetitions: sum((fixture) => fixture.arrived - fixture.delivered),
    recoverySeconds,
    violations: [...unsequenced, ...violations.flat(), ...waiting],
  }
}

/** Kills processes on schedule, one after the other: a killed process runs again before the next fault. */
async function killAll(service: KillableService, faults: readonly ProcessFault[]): Promise<void> {
  const start = performance.now()
  for (const fault of faults) {
    await sleep(Math.max(0, fault.afterMilliseconds - (performance.now() - start)))
    const more = fault.isRenamed ? { WORKER_ID: crypto.randomUUID() } : {}
    await (fault.target === 'api' ? service.restart('api') : service.restart(fault.worker, more))
  }
}

type Recovery = {
  readonly env: StackEnv
  readonly organizationIds: readonly string[]
  readonly deadline: number
}

/** Waits until the query finds no event of these organizations; returns a violation after the time limit. */
async function waitUntilNone(query: string, { env, organizationIds, deadline }: Recovery): Promise<string[]> {
  await using superuser = await Superuser.open(env)
  const ofOrganizations = `${query} and organization_id = any ($1)`
  for (;;) {
    const found = await superuser.query<{ id: string }>(ofOrganizations, [organizationIds])
    if (found.length === 0) return []
    if (performance.now() > deadline) return [`${found.length} left, ${found[0]?.id}: ${query}`]
    await sleep(POLL_MILLISECONDS)
  }
}
