/**
 * One round: runs callers, receiver modes and faults on schedule, lets the service recover, then checks every
 * organization.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type StackEnv, Superuser } from '@reelkeep/testkit'
import { stackEnvironment } from '@reelkeep/testkit/settings'
import { EventStage } from './event-fixture.ts'
import { type EventBlow, type EventRound, RECEIVERS_MAX } from './event-schedule.ts'
import type { EventService } from './event-service.ts'

/**
 * Time limit for the delivery of all events after the last fault: the lease of a dead worker, the longest pause, and a
 * busy machine.
 */
const REST_SECONDS_MAX = 600

const LOOK_MILLISECONDS = 100

/** Below the range of ephemeral ports, so that no other process listens there while a receiver is down. */
const FIRST_PORT = Number(stackEnvironment.STACK_PORT) + 40

export type RoundOutcome = {
  readonly events: number
  readonly deliveries: number
  /** Arrivals beyond the first of each event. */
  readonly repetitions: number
  /** Seconds from the last fault until everything was delivered. */
  readonly restSeconds: number
  readonly faults: readonly string[]
}

export async function runRound(
  env: StackEnv,
  service: EventService,
  round: EventRound,
): Promise<RoundOutcome> {
  await using cleanup = new AsyncDisposableStack()
  const stages: EventStage[] = []
  for (const [index, schedule] of round.schedules.entries()) {
    const fixture = await EventStage.open(
      env,
      service,
      schedule,
      FIRST_PORT + index * RECEIVERS_MAX,
    )
    stages.push(cleanup.use(fixture))
  }
  await Promise.all([...stages.map((fixture) => fixture.play()), strikeAll(service, round.blows)])
  if (round.isStruckLast) {
    await Promise.all(stages.map((fixture) => fixture.changeOnce()))
    await service.strike({ what: 'api', afterMilliseconds: 0, slot: 0, isRenamed: false })
  }
  const restStart = performance.now()
  const deadline = restStart + REST_SECONDS_MAX * 1000
  const rest = { env, organizationIds: stages.map((fixture) => fixture.organizationId), deadline }
  // Before the log is read, because reading it would sequence the events.
  const unnumbered = await untilNone('select id from event_outbox where true', rest)
  const judged = await Promise.all(stages.map((fixture) => fixture.judge(deadline)))
  const restSeconds = (performance.now() - restStart) / 1000
  // A delivery that was made but not recorded is repeated; in the end none may be left.
  const undelivered = `select event_id as id from webhook_deliveries where state <> 'delivered'`
  const waiting = await untilNone(undelivered, rest)
  const sum = (count: (fixture: EventStage) => number) =>
    stages.reduce((all, one) => all + count(one), 0)
  return {
    events: sum(({ log }) => log.length),
    deliveries: sum((fixture) => fixture.told),
    repetitions: sum((fixture) => fixture.arrived - fixture.told),
    restSeconds,
    faults: [...unnumbered, ...judged.flat(), ...waiting],
  }
}

/** On schedule and one after the other: a killed process runs again before the next fault. */
async function strikeAll(service: EventService, blows: readonly EventBlow[]): Promise<void> {
  const began = performance.now()
  for (const blow of blows) {
    await sleep(Math.max(0, blow.afterMilliseconds - (performance.now() - began)))
    await service.strike(blow)
  }
}

type Rest = {
  readonly env: StackEnv
  readonly organizationIds: readonly string[]
  readonly deadline: number
}

/** Waits until the query finds no event of these organizations; reports a violation after the time limit. */
async function untilNone(
  query: string,
  { env, organizationIds, deadline }: Rest,
): Promise<string[]> {
  await using superuser = await Superuser.open(env)
  const theirs = `${query} and organization_id = any ($1)`
  for (;;) {
    const found = await superuser.query<{ id: string }>(theirs, [organizationIds])
    if (found.length === 0) return []
    if (performance.now() > deadline) return [`${found.length} left, ${found[0]?.id}: ${query}`]
    await sleep(LOOK_MILLISECONDS)
  }
}
