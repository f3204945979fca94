import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '@reelkeep/testkit/settings'

/** Before the first test: the player as it is now, as viewers load it. */
export async function setup(): Promise<void> {
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  await promisify(execFile)(process.execPath, [vite, 'build', 'player', '--logLevel', 'error'], {
    cwd: root,
  })
}
