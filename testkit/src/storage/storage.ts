import { setupStorage } from '@reelkeep/server/main/setup-storage.ts'
import { storageOptions } from '@reelkeep/server/main/wiring/storage-options.ts'
import { readStorageSetupConfig } from '@reelkeep/server/platform/config/env.ts'
import type { StorageOptions } from '@reelkeep/server/platform/storage/client.ts'
import { runInProcess } from '../processes/in-process-command.ts'
import type { StackEnv } from '../processes/stack.ts'

/** Storage options of the service with these settings. */
export const storageOf = (env: StackEnv, settings: Record<string, string> = {}): StorageOptions =>
  storageOptions(readStorageSetupConfig({ ...env, ...settings }))

/**
 * Creates the buckets with the service's own command; `settings` may name other buckets or a notification address.
 */
export async function setUpUploads(
  env: StackEnv,
  settings: Record<string, string> = {},
): Promise<void> {
  const { code, error } = await runInProcess(setupStorage, { ...env, ...settings })
  if (code !== 0) throw new Error(error)
}
