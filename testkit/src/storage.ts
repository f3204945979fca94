import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { storageOptions } from '@reelkeep/server/main/storage-options.ts'
import { readStorageSetupConfig } from '@reelkeep/server/platform/config/env.ts'
import type { StorageOptions } from '@reelkeep/server/platform/storage/client.ts'
import { root, stackEnvironment } from './settings.ts'
import type { StackEnv } from './stack.ts'

const run = promisify(execFile)

/** How the service itself would reach storage with these settings. */
export const storageOf = (env: StackEnv, settings: Record<string, string> = {}): StorageOptions =>
  storageOptions(readStorageSetupConfig({ ...env, ...settings }))

/** Makes the buckets by the service's own command; `settings` may name others, or where to notify. */
export async function setUpUploads(
  env: StackEnv,
  settings: Record<string, string> = {},
): Promise<void> {
  await run(process.execPath, [join(root, 'server/src/main/setup-storage.ts')], {
    env: { ...stackEnvironment, ...env, ...settings },
  })
}
