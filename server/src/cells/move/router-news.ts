/** Tells the router that the directory has changed, and waits until it goes by the new one. */
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Directory } from '../directory.rules.ts'
import { onDirectory, replaceFile } from '../directory.ts'
import { placement } from '../placement.ts'
import {
  isAtLeast,
  placementFile,
  ROUTER_VERSION_PATH,
  routerConfiguration,
} from '../router.rules.ts'

const run = promisify(execFile)

/** A reload takes a moment; one that hangs is the operator's to look at. */
const RELOAD_SECONDS_MAX = 30
const FOLLOWS_SECONDS_MAX = 15
const LOOK_MILLISECONDS = 20

/**
 * Answers what is left for the operator to do, if anything is. Until that is done, requests go
 * where the organization no longer is, and are refused there.
 */
export async function tellRouter(
  directoryFile: string,
  organizationId: OrganizationId,
): Promise<string | undefined> {
  // Of two moves that end at the same time, whoever comes last writes what both have changed.
  const directory = await onDirectory(directoryFile, (now) => writeFiles(now, organizationId))
  const { file, placements, reload, url } = directory.router
  if (file === undefined)
    return 'The directory names no file for the router: give it what `admin router-configuration` prints.'
  const [program, ...words] = reload ?? []
  if (program === undefined)
    return placements === undefined ? `Have the router read ${file} again.` : undefined
  try {
    await run(program, words, { timeout: RELOAD_SECONDS_MAX * 1000 })
  } catch (error) {
    const said = error instanceof Error ? error.message.trim() : String(error)
    return `${reload?.join(' ')} failed: ${said}. Have the router read ${file} again.`
  }
  if (placements !== undefined || url === undefined) return undefined
  if (await follows(url, directory)) return undefined
  return `The router at ${url} does not tell version ${directory.version} of the directory, nor a newer one. Have it read ${file} again.`
}

function writeFiles(directory: Directory, organizationId: OrganizationId): Directory {
  const { file, placements } = directory.router
  if (file === undefined) return directory
  replaceFile(file, routerConfiguration(directory))
  if (placements !== undefined) writePlacementFile(directory, placements, organizationId)
  return directory
}

/** The new one first: while both are there, the router takes one of them, and both cells refuse. */
function writePlacementFile(directory: Directory, folder: string, id: OrganizationId): void {
  const { name: home } = placement(directory, id)
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  writeFileSync(join(folder, placementFile(id, home)), '')
  for (const other of Object.keys(directory.cells)) {
    if (other !== home) rmSync(join(folder, placementFile(id, other)), { force: true })
  }
}

async function follows(url: string, directory: Directory): Promise<boolean> {
  const deadline = performance.now() + FOLLOWS_SECONDS_MAX * 1000
  while (performance.now() < deadline) {
    const answer = await fetch(`${url}${ROUTER_VERSION_PATH}`, { headers: { Connection: 'close' } })
      .then((found) => found.text())
      .catch(() => '')
    if (isAtLeast(directory, answer)) return true
    await sleep(LOOK_MILLISECONDS)
  }
  return false
}
