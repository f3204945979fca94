import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { statement } from '../db/statement.ts'

const ping = statement(() => sql<{ ok: number }>`select 1 as ok`)

/** Anybody may ask, as often as they like; Postgres is asked this often. */
const ANSWER_SECONDS = 1

/**
 * `/livez`: this process runs. `/readyz`: it should get requests, so Postgres answers it and it has not
 * been told to stop.
 */
export function registerHealth(
  http: FastifyInstance,
  database: Database,
  isStopping: () => boolean,
) {
  let asked: { readonly fault: Promise<string | undefined>; readonly untilMs: number } | undefined
  const databaseFault = () => {
    if (!asked || performance.now() >= asked.untilMs) {
      asked = { fault: faultOf(database), untilMs: performance.now() + ANSWER_SECONDS * 1000 }
    }
    return asked.fault
  }
  http.get('/livez', async () => ({ status: 'alive' }))
  http.get('/readyz', async (_, reply) => {
    const reason = isStopping() ? 'stopping' : await databaseFault()
    if (reason === undefined) return { status: 'ready' }
    return reply.status(503).send({ status: 'not ready', reason })
  })
}

async function faultOf(database: Database): Promise<string | undefined> {
  try {
    await database.ask(ping({}))
    return undefined
  } catch {
    return 'the database does not answer'
  }
}
