import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readlink, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const root = resolve(import.meta.dirname, '../../.stack/media')

/** Longer than anything here takes to be made; whoever has waited so long makes it, too. */
const WAIT_SECONDS_MAX = 240
const LOOK_MILLISECONDS = 200

/**
 * A directory that is made once and kept until its recipe changes. It appears whole or not at all.
 * Whoever wants it while another makes it waits; of two that make it all the same, one is thrown
 * away.
 */
export async function madeOnce(
  name: string,
  recipe: unknown,
  make: (directory: string) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(recipe)).digest('hex').slice(0, 12)
  const directory = join(root, `${name}-${hash}`)
  if (existsSync(directory)) return directory
  await mkdir(dirname(directory), { recursive: true })
  const claim = `${directory}.maker`
  await untilMadeOrOurs(directory, claim)
  try {
    if (!existsSync(directory)) await makeWhole(directory, make)
  } finally {
    if (await isOurs(claim)) await rm(claim, { force: true })
  }
  return directory
}

async function makeWhole(directory: string, make: (directory: string) => Promise<void>) {
  const draft = await mkdtemp(`${directory}.draft-`)
  await make(draft)
  try {
    await rename(draft, directory)
  } catch (error) {
    if (!existsSync(directory)) throw error
    await rm(draft, { recursive: true, force: true })
  }
}

/**
 * A claim is a link to a process: it is there with its content or not at all, and it tells whether
 * who made it still lives.
 */
async function untilMadeOrOurs(directory: string, claim: string): Promise<void> {
  const deadline = performance.now() + WAIT_SECONDS_MAX * 1000
  while (!existsSync(directory) && performance.now() < deadline) {
    const isClaimed = await symlink(`/proc/${process.pid}`, claim).then(
      () => true,
      () => false,
    )
    if (isClaimed) return
    if (!existsSync(claim)) await rm(claim, { force: true })
    await sleep(LOOK_MILLISECONDS)
  }
}

const isOurs = async (claim: string) =>
  (await readlink(claim).catch(() => '')) === `/proc/${process.pid}`
