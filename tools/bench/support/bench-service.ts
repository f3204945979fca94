import {
  ApiProcess,
  type Caller,
  newCaller,
  resetDatabase,
  type Send,
  type StackEnv,
  startStack,
  withDatabase,
} from '@reelkeep/testkit'
import { postmasterOf } from './cpu-time.ts'

/** The API with an empty database of its own, and an organization for the load. */
export async function openBenchService(database: string) {
  const env = withDatabase(await startStack(), database)
  await resetDatabase(env)
  return await startBenchService(env, (send) => newCaller(send, env))
}

/** The API with an existing database, and the organization of the caller for the load. */
export async function startBenchService(env: StackEnv, openCaller: (send: Send) => Promise<Caller>) {
  const api = await ApiProcess.start({ DATABASE_CONNECTIONS_MAX: '16' }, env)
  const caller = await openCaller(api.send)
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
