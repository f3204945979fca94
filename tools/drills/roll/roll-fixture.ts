/** Fixture for each part of the drill: a deployment behind the nginx of Compose, an organization, and a load on it. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Caller } from '@reelkeep/testkit'
import { stackEnvironment } from '@reelkeep/testkit/settings'
import { type Load, startLoad } from '../load/load.ts'
import { LoadReceiver } from '../load/load-receiver.ts'
import type { DrillReport } from '../support/drill-report.ts'
import { verifyLoad } from '../verify/verify-load.ts'
import { ComposeEdge } from './compose-edge.ts'
import { Fleet, type Release } from './fleet.ts'

const run = promisify(execFile)

/** Seconds of load after the last action. */
const QUIET_SECONDS = 6

export type RollFixture = {
  readonly fleet: Fleet
  readonly load: Load
  readonly caller: () => Caller
  /** Sets the token that the load uses from then on. */
  readonly useToken: (token: string) => void
}

/** Runs an action under load; afterwards no request may have been refused, failed, lost or duplicated. */
export async function runPhase(
  name: string,
  release: Release,
  report: DrillReport,
  runAction: (stage: RollFixture) => Promise<void>,
): Promise<void> {
  const organization = await createOrganization(release)
  await using fleet = await Fleet.start(release)
  await using edge = await ComposeEdge.start(fleet.addresses)
  const { organizationId } = organization
  let { token } = organization
  const { api, playback } = edge
  const caller = () => new Caller(fleet.api.send, organizationId, token)
  const useToken = (another: string) => {
    token = another
  }
  await using receiver = await LoadReceiver.open(caller())
  const load = startLoad({ api, playback, organizationId, token: () => token })
  await load.waitUntilInUse()
  const startedAt = performance.now()
  await runAction({ fleet, load, caller, useToken })
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  await sleep(QUIET_SECONDS * 1000)
  const record = await load.stop()
  const result = await verifyLoad(record, caller())
  report.note(`${name}: took`, `${seconds} s`)
  report.addLoad(name, record, result)
  report.checkNoErrors(name, record)
  // A stopped worker waits for its running deliveries, so no interruptions are expected.
  await receiver.check(report, caller(), { name, interruptions: 0 })
  const { resumptions } = record.stream
  report.check(`${name}: stream reconnections`, resumptions, { isPassed: resumptions > 0 })
  const cutShort = fleet.runningStepsAtStop.filter((count) => count > 0).length
  report.check(`${name}: workers stopped during processing`, `${cutShort} of ${fleet.runningStepsAtStop.length}`, {
    isPassed: cutShort > 0,
  })
  await fleet.stop()
  report.checkNone(`${name}: processes with a bad exit code, errors logged`, fleet.violations)
}

/** Creates an organization with the command of this release; another version may expect other tables. */
async function createOrganization({ folder, env }: Release) {
  const command = [join(folder, 'server/src/main/admin.ts'), 'create-organization', '--json']
  const { stdout } = await run(process.execPath, [...command, '--name', 'Rolled'], {
    env: { ...stackEnvironment, ...env },
  })
  const created = JSON.parse(stdout) as { REELKEEP_ORGANIZATION: string; REELKEEP_TOKEN: string }
  return { organizationId: created.REELKEEP_ORGANIZATION, token: created.REELKEEP_TOKEN }
}
