/** Measures what can grow: memory of the processes, rows of every table, and objects in storage. */
import { readFileSync } from 'node:fs'
import { ListObjectVersionsCommand } from '@aws-sdk/client-s3'
import type { StackEnv, Superuser } from '@reelkeep/testkit'
import { Objects } from '@reelkeep/testkit/objects'

/** Quantities by name, such as `rows of public.assets`. */
export type Measures = ReadonlyMap<string, number>

/** Tables that grow by design, until the limit that is named here. */
export const growingTables: readonly (readonly [RegExp, string])[] = [
  [/^(event_weeks\.|public\.(events|webhook_deliveries|webhook_attempts)$)/, 'events: 30 days'],
  [/^public\.audit_/, 'audit log: 400 days'],
  [/^public\.idempotency_keys$/, 'stored responses: a day'],
  [/^dbos\./, 'ended jobs: 7 days'],
  [/^public\.usage_days$/, 'usage: 13 months'],
  [/^public\.(asset|folder|usage)_counts$/, 'counters: 16 rows per organization'],
]

const MEGABYTE = 1024 ** 2

export function memoryOf(name: string, pid: number | undefined): [string, number][] {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
  if (Number.isNaN(kilobytes)) throw new Error(`The memory of ${name} is unknown: ${status}`)
  return [[`memory of ${name} in MB`, (kilobytes * 1024) / MEGABYTE]]
}

export async function rowsOf(superuser: Superuser): Promise<[string, number][]> {
  const tables = await superuser.query<{ name: string }>(
    `select schemaname || '.' || relname as name from pg_stat_user_tables order by 1`,
  )
  const counts: [string, number][] = []
  for (const { name } of tables) {
    const [row] = await superuser.query<{ count: number }>(`select count(*)::int as count from ${name}`)
    counts.push([`rows of ${name}`, row?.count ?? 0])
  }
  return counts
}

/** Counts all versions of all objects. */
export async function objectsOf(env: StackEnv, bucket: string): Promise<[string, number][]> {
  using objects = new Objects(env, bucket)
  let count = 0
  let markers: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } = {}
  for (;;) {
    const page = await objects.client.send(new ListObjectVersionsCommand({ Bucket: bucket, ...markers }))
    count += (page.Versions?.length ?? 0) + (page.DeleteMarkers?.length ?? 0)
    if (!page.IsTruncated) return [[`objects in ${bucket}`, count]]
    markers = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker }
  }
}
