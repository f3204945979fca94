/**
 * Fills an organization with folders by COPY. Bypasses row-level security, so it needs a superuser. For a large load,
 * indexes are dropped and rebuilt.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { foldForSearch, gramsOf } from '@reelkeep/server/kernel/search-text.ts'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { parentRowOf, titleOf, uuidOf } from './folder-titles.ts'

/** Number of rows above which rebuilding the indexes is faster than updating them. */
const BULK_ROWS = 100_000
const ROWS_PER_CHUNK = 2000

export type Progress = (message: string) => void

export async function seedFolders(
  superuserUrl: string,
  { organization, count }: { organization: string; count: number },
  progress: Progress,
): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  try {
    await client.query(`set maintenance_work_mem = '2GB'`)
    // Skips foreign key checks: the tree is correct by construction.
    await client.query(`set session_replication_role = replica`)
    await client.query(`insert into organizations (id, name) values ($1, 'Seeded') on conflict do nothing`, [
      organization,
    ])
    const indexes = count >= BULK_ROWS ? await dropIndexes(client) : []
    await copyFolders(client, organization, count, progress)
    for (const definition of indexes) {
      progress(definition)
      await client.query(definition)
    }
    await client.query(
      `insert into folder_counts values ($1, 0, $2, $3)
       on conflict (organization_id, slot)
       do update set folder_count = excluded.folder_count, root_count = excluded.root_count`,
      [organization, count, Math.min(count, 10)],
    )
    progress('vacuum analyze')
    await client.query('vacuum (analyze) folders')
    await client.query('vacuum (analyze) folder_counts')
  } finally {
    await client.end()
  }
}

async function copyFolders(client: pg.Client, organization: string, count: number, progress: Progress) {
  const target = client.query(
    copyFrom('copy folders (organization_id, uuid, parent_uuid, title, search_title, grams) from stdin'),
  )
  await pipeline(Readable.from(chunks(organization, count, progress)), target)
}

function* chunks(organization: string, count: number, progress: Progress): Generator<string> {
  for (let start = 0; start < count; start += ROWS_PER_CHUNK) {
    let text = ''
    for (let row = start; row < Math.min(count, start + ROWS_PER_CHUNK); row++) {
      text += lineOf(organization, row)
    }
    yield text
    if (start % 1_000_000 === 0) progress(`${organization}: ${start} of ${count} folders`)
  }
}

function lineOf(organization: string, row: number): string {
  const title = titleOf(row)
  const folded = foldForSearch(title)
  const parentRow = parentRowOf(row)
  const parent = parentRow === undefined ? '\\N' : uuidOf(parentRow)
  const grams = gramsOf(organization, folded).join(',')
  return `${organization}\t${uuidOf(row)}\t${parent}\t${title}\t${folded}\t{${grams}}\n`
}

/** Drops the indexes. Returns the statements that create them again. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes
     where tablename = 'folders' and indexname <> 'folders_pkey'`,
  )
  for (const { indexname } of rows) await client.query(`drop index ${indexname}`)
  return rows.map(({ indexdef }) => indexdef)
}
