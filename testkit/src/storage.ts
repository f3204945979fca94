import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root, stackEnvironment } from './settings.ts'
import type { StackEnv } from './stack.ts'

const run = promisify(execFile)

/** Makes the uploads bucket by the service's own command; `settings` may name another, or where to notify. */
export async function setUpUploads(
  env: StackEnv,
  settings: Record<string, string> = {},
): Promise<void> {
  await run(process.execPath, [join(root, 'server/src/main/setup-storage.ts')], {
    env: { ...stackEnvironment, ...env, ...settings },
  })
}
