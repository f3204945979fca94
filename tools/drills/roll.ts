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
import { playAct } from './roll/roll-fixture.ts'
import { rotatedSettings, rotateEverything } from './roll/rotation.ts'
import { Figures } from './support/figures.ts'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    from: { type: 'string' },
  },
})

/** With both versions running. */
const SIDE_BY_SIDE_SECONDS = 10

const say = (line: string) => process.stdout.write(`${line}\n`)
const figures = new Figures({ isShort: values.short })
await using stack = await ownStack()
await setUpUploads(stack.env)
const now = { folder: root, env: stack.env, settings: receiverSettings }
const isWanted = (act: string) =>
  values.only === act || (values.only === undefined && !values.short)

if (values.short || isWanted('restart')) {
  await playAct('restart', now, figures, ({ fleet }) => fleet.roll(now))
}
if (isWanted('upgrade')) await upgrade()
// Last, because it removes the old keys.
if (isWanted('rotation')) {
  const release = { ...now, settings: { ...now.settings, ...rotatedSettings } }
  await playAct('rotation', release, figures, (fixture) => rotateEverything(fixture, release))
}
process.exitCode = figures.print()

/**
 * Upgrades from the old version to this one and back: migrates while the old one serves, then replaces one instance at
 * a time.
 */
async function upgrade(): Promise<void> {
  const revision = values.from ?? (await revisionBeforeLastMigration())
  if (!revision)
    return void say('upgrade: skipped, this clone has no history to take an old version from')
  await using old = await checkOut(revision)
  const env = await emptyDatabase('upgraded')
  await migrateFrom(old.folder, env)
  const [before, after] = [
    { ...now, folder: old.folder, env },
    { ...now, env },
  ]
  figures.note('upgrade: from', revision.slice(0, 12))
  const linger = () => sleep(SIDE_BY_SIDE_SECONDS * 1000)
  await playAct('upgrade and back', before, figures, async ({ fleet }) => {
    await migrateFrom(root, env)
    await fleet.roll(after, linger)
    await fleet.roll(before, linger)
  })
}

/** Without a schema. */
async function emptyDatabase(name: string): Promise<StackEnv> {
  await using superuser = await Superuser.open(stack.env)
  await superuser.query(`create database ${name} owner reelkeep_owner`)
  return withDatabase(stack.env, name)
}
