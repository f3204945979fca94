/** The fixture of each part of the drill: a deployment behind Compose's edge, an organization, and a load on it. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Caller } from '@reelkeep/testkit'
import { stackEnvironment } from '@reelkeep/testkit/settings'
import { type Load, startLoad } from '../load/load.ts'
import { LoadReceiver } from '../load/load-receiver.ts'
import { verifyLoad } from '../load/verify-load.ts'
import type { Figures } from '../support/figures.ts'
import { ComposeEdge } from './compose-edge.ts'
import { Fleet, type Release } from './fleet.ts'

const run = promisify(execFile)

/** Seconds of load after the last action. */
const QUIET_SECONDS = 6

export type RollStage = {
  readonly fleet: Fleet
  readonly load: Load
  readonly caller: () => Caller
  /** The token that the load uses from now on. */
  readonly useToken: (token: string) => void
}

/** Runs an action under load; afterwards no request may have been refused, failed, lost or duplicated. */
export async function playAct(
  name: string,
  release: Release,
  figures: Figures,
  act: (stage: RollStage) => Promise<void>,
): Promise<void> {
  const organization = await makeOrganization(release)
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
  await load.untilInUse()
  const began = performance.now()
  await act({ fleet, load, caller, useToken })
  const seconds = Math.round((performance.now() - began) / 1000)
  await sleep(QUIET_SECONDS * 1000)
  const record = await load.stop()
  const verdict = await verifyLoad(record, caller())
  figures.note(`${name}: took`, `${seconds} s`)
  figures.addLoad(name, record, verdict)
  figures.judgeUntroubled(name, record)
  // Stopped workers wait for their running deliveries.
  await receiver.judge(figures, name, caller(), 0)
  const { resumptions } = record.stream
  figures.judge(`${name}: stream reconnections`, resumptions, resumptions > 0)
  const cutShort = fleet.stepsCutShort.filter((count) => count > 0).length
  figures.judge(
    `${name}: workers stopped during processing`,
    `${cutShort} of ${fleet.stepsCutShort.length}`,
    cutShort > 0,
  )
  await fleet.stop()
  figures.judgeNone(`${name}: processes with a bad exit code, errors logged`, fleet.faults)
}

/** With the release's own command: another version may not have its tables. */
async function makeOrganization({ folder, env }: Release) {
  const command = [join(folder, 'server/src/main/admin.ts'), 'create-organization', '--json']
  const { stdout } = await run(process.execPath, [...command, '--name', 'Rolled'], {
    env: { ...stackEnvironment, ...env },
  })
  const made = JSON.parse(stdout) as { REELKEEP_ORGANIZATION: string; REELKEEP_TOKEN: string }
  return { organizationId: made.REELKEEP_ORGANIZATION, token: made.REELKEEP_TOKEN }
}
