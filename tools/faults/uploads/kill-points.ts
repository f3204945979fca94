/**
 * Kills the API with `kill -9` at every step of completing an upload. Each message of the API to Postgres or storage is
 * a step. One upload is completed for each step: the API is killed before or after that step. No upload may be lost.
 */
import { type Chunk, type Rule, TcpProxy } from '@reelkeep/testkit'
import type { FaultyService } from './faulty-service.ts'
import { type Outcome, runSchedule } from './run-upload-schedule.ts'
import type { PlannedUpload } from './upload-actions.ts'

/** Limit on the number of steps, higher than completing an upload needs. */
const STEPS_MAX = 60

const moments = ['before it is sent', 'after it is done'] as const

export type KillPoints = Outcome & { readonly killed: number }

export async function killBetweenSteps(
  service: FaultyService,
  scenario: PlannedUpload['scenario'],
): Promise<KillPoints> {
  const { DATABASE_URL, STORAGE_ENDPOINT } = service.env
  await using databaseProxy = await TcpProxy.open(DATABASE_URL)
  await using storageProxy = await TcpProxy.open(STORAGE_ENDPOINT)
  const setRules = (...rules: Rule<Chunk>[]) => {
    for (const proxy of [databaseProxy, storageProxy]) proxy.rules = rules
  }
  const throughProxies = {
    DATABASE_URL: databaseProxy.url,
    STORAGE_ENDPOINT: storageProxy.url,
    STORAGE_PUBLIC_ENDPOINT: STORAGE_ENDPOINT,
  }
  const schedule = {
    uploads: [{ scenario, bytes: 5000, afterMilliseconds: 0 }],
    faults: [],
    notifications: 'lost',
  } as const
  const violations: string[] = []
  let [killed, uploads, acknowledged] = [0, 0, 0]
  for (const moment of moments) {
    for (let step = 1; step <= STEPS_MAX; step++) {
      await service.restartApi(throughProxies)
      let restarted: Promise<void> | undefined
      const kill = () => {
        restarted ??= service.restartApi()
      }
      service.onComplete = () => setRules(killRule(step, moment, kill))
      const outcome = await runSchedule(service, schedule)
      setRules()
      uploads += outcome.uploads
      acknowledged += outcome.acknowledged
      violations.push(...outcome.violations.map((each) => `killed ${moment}, step ${step}: ${each}`))
      if (!restarted) break
      await restarted
      killed++
    }
  }
  service.onComplete = () => {}
  await service.restartApi()
  return { killed, uploads, acknowledged, violations }
}

/**
 * Kills the API at the message with this number, counted from 1 over all connections. Discards the message, or the
 * response to it.
 */
function killRule(step: number, moment: (typeof moments)[number], kill: () => void): Rule<Chunk> {
  let remaining = step
  let stopped: Chunk['connection'] | undefined
  const match = ({ connection, direction }: Chunk) => {
    if (direction === 'downstream') return connection === stopped
    remaining--
    if (remaining !== 0) return false
    stopped = connection
    return moment === 'before it is sent'
  }
  return { match, action: kill }
}
