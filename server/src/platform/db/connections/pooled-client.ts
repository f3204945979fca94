import type pg from 'pg'
import { isConnectionLost } from '../errors/availability.ts'
import { Batch, type BatchStatement, type Rows } from './batch.ts'

/** Connections that broke during a query; the pool must not reuse them. */
const broken = new WeakSet<pg.PoolClient>()

export const isBroken = (client: pg.PoolClient) => broken.has(client)

export function markBroken(client: pg.PoolClient): void {
  broken.add(client)
}

export async function withClient<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    return await work(client)
  } finally {
    client.release(broken.has(client))
  }
}

export function runBatch(client: pg.PoolClient, statements: readonly BatchStatement[]): Promise<Rows> {
  return new Promise((resolve, reject) => {
    const batch = new Batch(statements, (error, rows) => {
      if (!error) return resolve(rows ?? [])
      if (isConnectionLost(error)) broken.add(client)
      reject(error)
    })
    client.query(batch)
  })
}
