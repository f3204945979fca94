import { resetDatabase, runStack, type StackEnv, startStack } from '@reelkeep/testkit'

/** Real servers with an empty database, deleted afterwards. */
export async function ownStack(): Promise<AsyncDisposable & { readonly env: StackEnv }> {
  const env = await startStack()
  await resetDatabase(env)
  return { env, [Symbol.asyncDispose]: () => runStack('wipe') }
}
