import { setupStorage } from '@reelkeep/server/main/setup-storage.ts'
import { storageOptions } from '@reelkeep/server/main/wiring/storage-options.ts'
import { readStorageSetupConfig } from '@reelkeep/server/platform/config/env.ts'
import type { StorageOptions } from '@reelkeep/server/platform/storage/client.ts'
import { runInProcess } from '../processes/in-process-command.ts'
import type { StackEnv } from '../processes/stack.ts'
import type { Rule } from '../proxy/fault-proxy.ts'
import { type Exchange, respond } from '../proxy/http-proxy.ts'

/** Settings for storage without form uploads and without versions. */
export const partsOnly = { STORAGE_FORMS: 'off', STORAGE_VERSIONS: 'off' } as const

/** Responds with 501 to forms (a POST to the bucket) and to requests about versions, like some storage servers. */
export const partsOnlyRule: Rule<Exchange> = {
  match: ({ method, path }) =>
    (method === 'POST' && /^\/[^/?]+$/.test(path)) || /[?&](versions|versioning|versionId)\b/.test(path),
  action: respond(501),
}

/** Returns the storage options of the service with these settings. */
export const storageOf = (env: StackEnv, settings: Record<string, string> = {}): StorageOptions =>
  storageOptions(readStorageSetupConfig({ ...env, ...settings }))

/** Creates the buckets with the service's own command; `settings` may name other buckets or a notification URL. */
export async function setUpUploads(env: StackEnv, settings: Record<string, string> = {}): Promise<void> {
  const { code, error } = await runInProcess((io) => setupStorage([], io), { ...env, ...settings })
  if (code !== 0) throw new Error(error)
}
