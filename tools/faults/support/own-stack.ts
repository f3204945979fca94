import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { resetDatabase, root, type StackEnv, startStack } from '@reelkeep/testkit'
import { stackEnvironment } from '@reelkeep/testkit/settings'

const run = promisify(execFile)

/** Real servers with an empty database, deleted afterwards. */
export async function ownStack(): Promise<AsyncDisposable & { readonly env: StackEnv }> {
  const env = await startStack()
  await resetDatabase(env)
  return {
    env,
    [Symbol.asyncDispose]: async () => {
      await run(join(root, 'stack/wipe'), { env: stackEnvironment })
    },
  }
}
