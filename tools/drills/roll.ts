/**
 * `pnpm drill roll`: the service is restarted, upgraded, downgraded and given new secrets under load, without a failed
 * request.
 *
 * Two API instances and two workers run behind Compose's edge; uploads are processed during the drill.
 *
 *   --short          only the restart, for CI
 *   --only ACT       restart, upgrade or rotation
 *   --from REVISION  the version to upgrade from; by default the one before the newest migration
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { root, type StackEnv, Superuser, setUpUploads, withDatabase } from '@reelkeep/testkit'
import { ownStack } from '../faults/support/own-stack.ts'
import { receiverSettings } from './load/load-receiver.ts'
import { checkOut, migrateFrom, revisionBeforeLastMigration } from './roll/old-version.ts'
import { runPhase } from './roll/roll-fixture.ts'
import { rotatedSettings, rotateEverything } from './roll/rotation.ts'
import { DrillReport } from './support/drill-report.ts'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    from: { type: 'string' },
  },
})

/** How long the old and the new version run at the same time. */
const SIDE_BY_SIDE_SECONDS = 10

const print = (line: string) => process.stdout.write(`${line}\n`)
const report = new DrillReport({ isShort: values.short })
await using stack = await ownStack()
await setUpUploads(stack.env)
const now = { folder: root, env: stack.env, settings: receiverSettings }
const isSelected = (runAction: string) => values.only === runAction || (values.only === undefined && !values.short)

if (values.short || isSelected('restart')) {
  await runPhase('restart', now, report, ({ fleet }) => fleet.roll(now))
}
if (isSelected('upgrade')) await upgrade()
// The rotation comes last, because it removes the old keys.
if (isSelected('rotation')) {
  const release = { ...now, settings: { ...now.settings, ...rotatedSettings } }
  await runPhase('rotation', release, report, (fixture) => rotateEverything(fixture, release))
}
process.exitCode = report.print()

/**
 * Upgrades from an old version to the current one and back. Migrates the database while the old version runs, then
 * replaces one instance at a time.
 */
async function upgrade(): Promise<void> {
  const revision = values.from ?? (await revisionBeforeLastMigration())
  if (!revision) return void print('upgrade: skipped, this clone has no history to take an old version from')
  await using old = await checkOut(revision)
  const env = await emptyDatabase('upgraded')
  await migrateFrom(old.folder, env)
  const [before, after] = [
    { ...now, folder: old.folder, env },
    { ...now, env },
  ]
  report.note('upgrade: from', revision.slice(0, 12))
  const waitSideBySide = () => sleep(SIDE_BY_SIDE_SECONDS * 1000)
  await runPhase('upgrade and back', before, report, async ({ fleet }) => {
    await migrateFrom(root, env)
    await fleet.roll(after, waitSideBySide)
    await fleet.roll(before, waitSideBySide)
  })
}

/** Creates a database without a schema. */
async function emptyDatabase(name: string): Promise<StackEnv> {
  await using superuser = await Superuser.open(stack.env)
  await superuser.query(`create database ${name} owner reelkeep_owner`)
  return withDatabase(stack.env, name)
}
