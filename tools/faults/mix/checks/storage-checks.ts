/** Compares published files with storage, and checks that nothing is left of deleted assets. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StackEnv, Superuser } from '@reelkeep/testkit'
import { Objects } from '@reelkeep/testkit/objects'
import { inFlight } from '../../../bench/support/in-flight.ts'
import type { CheckResult } from './counter-checks.ts'

const BUCKETS = ['reelkeep-uploads', 'reelkeep-media'] as const
const CONCURRENCY = 4
const POLL_MILLISECONDS = 1000

type FileRow = { readonly key: string; readonly bytes: number; readonly md5: string }

const publishedFiles = `
  select prefix || name as key, file.bytes::float8 as bytes, encode(substr(md5, 16 * (place - 1)::int + 1, 16), 'hex') as md5
  from published_files
  cross join lateral unnest(names, published_files.bytes) with ordinality as file (name, bytes, place)`

/** Every published file has its bytes in storage, and each part of a step was published by one attempt. */
export async function checkPublished(superuser: Superuser, env: StackEnv): Promise<CheckResult> {
  using media = new Objects(env, BUCKETS[1])
  const files = await superuser.query<FileRow>(publishedFiles)
  const violations: string[] = []
  await inFlight(files, CONCURRENCY, async ({ key, bytes, md5 }) => {
    const stored = await media.read({ key, version: 'null' }).catch((error: unknown) => String(error))
    if (typeof stored === 'string') return void violations.push(`${key}: ${stored}`)
    const hash = createHash('md5').update(stored).digest('hex')
    if (stored.length !== bytes || hash !== md5) violations.push(`${key} is not the file that was published`)
  })
  const twice = await superuser.query<{ assetId: string; step: string; part: string }>(
    `select asset_id as "assetId", step, part from published_files where step is not null
     group by organization_id, asset_id, step, part having count(*) > 1`,
  )
  violations.push(...twice.map(({ assetId, step, part }) => `${step} ${part} of ${assetId} was published twice`))
  return { checked: files.length, violations }
}

/** Every acknowledged source is in storage with its size. */
export async function checkSources(superuser: Superuser, env: StackEnv): Promise<CheckResult> {
  using uploads = new Objects(env, BUCKETS[0])
  const sources = await superuser.query<{ key: string; version: string; bytes: number }>(
    `select source_key as key, source_version as version, bytes::float8 as bytes from assets where source_key is not null`,
  )
  const violations: string[] = []
  await inFlight(sources, CONCURRENCY, async ({ key, version, bytes }) => {
    const stored = await uploads.read({ key, version }).catch((error: unknown) => String(error))
    if (typeof stored === 'string') violations.push(`${key}: ${stored}`)
    else if (stored.length !== bytes) violations.push(`${key} has ${stored.length} bytes, expected ${bytes}`)
  })
  return { checked: sources.length, violations }
}

/** Waits until storage has no object of the organization, or the time limit passes. */
export async function checkNothingLeft(env: StackEnv, organizationId: string, seconds: number): Promise<string[]> {
  const deadline = performance.now() + seconds * 1000
  for (;;) {
    const left = (await Promise.all(BUCKETS.map((bucket) => objectsOf(env, bucket, organizationId)))).flat()
    if (left.length === 0 || performance.now() > deadline) return left
    await sleep(POLL_MILLISECONDS)
  }
}

async function objectsOf(env: StackEnv, bucket: string, organizationId: string): Promise<string[]> {
  using objects = new Objects(env, bucket)
  const versions = await objects.versions(`${organizationId}/`)
  return versions.map(({ key, version }) => `${bucket}: ${key} ${version}`)
}
