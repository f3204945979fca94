/** Updates the router after a change of the cells file and waits until it uses the new version. */
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Directory } from '../directory.rules.ts'
import { replaceFile, withDirectoryLock } from '../directory.ts'
import { placement } from '../placement.ts'
import { isAtLeast, placementFile, ROUTER_VERSION_PATH, routerConfiguration } from '../router.rules.ts'

const run = promisify(execFile)

/** Maximum time for reloading the router, which normally takes less than a second. */
const RELOAD_SECONDS_MAX = 30
const VERSION_SECONDS_MAX = 15
const POLL_MILLISECONDS = 20

/**
 * Returns a message if the operator has to update or reload the router, otherwise undefined. Until the router is
 * updated, requests go to the old cell and are refused there.
 */
export async function updateRouter(directoryFile: string, organizationId: OrganizationId): Promise<string | undefined> {
  // If two migrations end at the same time, the last one writes the changes of both.
  const directory = await withDirectoryLock(directoryFile, (now) => writeFiles(now, organizationId))
  const { file, placements, reload, url } = directory.router
  if (file === undefined)
    return 'CELLS_FILE has no `router.file`: give the router the output of `admin router-configuration`.'
  const [program, ...args] = reload ?? []
  if (program === undefined) return placements === undefined ? `Reload the router with ${file}.` : undefined
  try {
    await run(program, args, { timeout: RELOAD_SECONDS_MAX * 1000 })
  } catch (error) {
    const message = error instanceof Error ? error.message.trim() : String(error)
    return `${reload?.join(' ')} failed: ${message}. Reload the router with ${file}.`
  }
  if (placements !== undefined || url === undefined) return undefined
  if (await usesVersion(url, directory)) return undefined
  return (
    `The router at ${url} uses neither version ${directory.version} of the cells file nor a newer one. ` +
    `Reload it with ${file}.`
  )
}

function writeFiles(directory: Directory, organizationId: OrganizationId): Directory {
  const { file, placements } = directory.router
  if (file === undefined) return directory
  replaceFile(file, routerConfiguration(directory))
  if (placements !== undefined) writePlacementFile(directory, placements, organizationId)
  return directory
}

/**
 * Writes the new placement file before it deletes the old one. While both exist, the router uses either, and both cells
 * refuse writes.
 */
function writePlacementFile(directory: Directory, folder: string, id: OrganizationId): void {
  const { name: current } = placement(directory, id)
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  writeFileSync(join(folder, placementFile(id, current)), '')
  for (const other of Object.keys(directory.cells)) {
    if (other !== current) rmSync(join(folder, placementFile(id, other)), { force: true })
  }
}

async function usesVersion(url: string, directory: Directory): Promise<boolean> {
  const deadline = performance.now() + VERSION_SECONDS_MAX * 1000
  while (performance.now() < deadline) {
    const text = await fetch(`${url}${ROUTER_VERSION_PATH}`, { headers: { Connection: 'close' } })
      .then((response) => response.text())
      .catch(() => '')
    if (isAtLeast(directory, text)) return true
    await sleep(POLL_MILLISECONDS)
  }
  return false
}
