import { ApiProcess, newCaller, resetDatabase, startStack, withDatabase } from '@reelkeep/testkit'
import { postmasterOf } from './cpu-time.ts'

/** The API with an empty database of its own, and an organization for the load. */
export async function openBenchService(database: string) {
  const env = withDatabase(await startStack(), database)
  await resetDatabase(env)
  const api = await ApiProcess.start({ DATABASE_CONNECTIONS_MAX: '16' }, env)
  const caller = await newCaller(api.send, env)
  const { organizationId, token } = caller
  return {
    env,
    organizationId,
    databaseUrl: env.DATABASE_SUPERUSER_URL,
    baseUrl: api.baseUrl,
    caller,
    send: api.send,
    postmaster: await postmasterOf(env.DATABASE_SUPERUSER_URL),
    pid: api.child.pid ?? 0,
    assetsUrl: `${api.baseUrl}/api/v1/${organizationId}/assets`,
    headers: { Authorization: `token ${token}`, 'Content-Type': 'application/json' },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}
