import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { externalService, root } from '@reelkeep/testkit/settings'

/** Builds the player before the first test. */
export async function setup(): Promise<void> {
  if (externalService.baseUrl) return
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  await promisify(execFile)(process.execPath, [vite, 'build', 'player', '--logLevel', 'error'], {
    cwd: root,
  })
}
