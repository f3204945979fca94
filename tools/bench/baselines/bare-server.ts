/**
 * The baseline for the API: `node:http` and `pg` with the same SQL, and nothing else. No framework, validation,
 * authentication, limits, logs or row-level security. Each request is one prepared statement, the least that plain
 * `pg` can do.
 */
import type { IncomingMessage } from 'node:http'
import { newFolderUuid } from '@reelkeep/server/kernel/ids.ts'
import { foldForSearch, gramsOf } from '@reelkeep/server/kernel/search-text.ts'
import pg from 'pg'
import { jsonOf, serveJson } from './bare-http.ts'

const [url = '', port = '0', organization = ''] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString: url, max: 16 })

const list = {
  name: 'list',
  text: `
    select title, uuid,
      (select coalesce(sum(folder_count), 0)::bigint from folder_counts where organization_id = $1) as count
    from folders where organization_id = $1 order by title collate natural_order, uuid limit 51`,
}

const insert = {
  name: 'insert',
  text: `
    with created as (
      insert into folders (organization_id, uuid, title, search_title, grams)
      select $1, $2, $3, $4, $5
      where pg_try_advisory_xact_lock_shared(hashtextextended($1, 3))
      returning organization_id, uuid
    ),
    recorded as (
      insert into event_outbox (organization_id, type, subject, data)
      select organization_id, 'folder.created', uuid, $6::jsonb from created
    )
    insert into folder_counts as counts (organization_id, slot, folder_count, root_count)
    select organization_id, pg_backend_pid() % 16, 1, 1 from created
    on conflict (organization_id, slot)
    do update set
      folder_count = counts.folder_count + excluded.folder_count,
      root_count = counts.root_count + excluded.root_count`,
}

async function listFolders() {
  const { rows } = await pool.query({ ...list, values: [organization] })
  const results = rows.slice(0, 50).map(({ title, uuid }) => ({ title, uuid }))
  const last = results.at(-1)
  const cursor = Buffer.from(JSON.stringify([1, last?.title, last?.uuid])).toString('base64url')
  return {
    count: Number(rows[0]?.count ?? 0),
    next: rows.length > 50 ? `http://127.0.0.1:${port}/?cursor=${cursor}` : null,
    previous: null,
    results,
  }
}

async function createFolder(request: IncomingMessage) {
  const { title } = await jsonOf<{ title: string }>(request)
  const uuid = newFolderUuid()
  const folded = foldForSearch(title)
  const grams = gramsOf(organization, folded)
  const events = JSON.stringify({ uuid, title, parent: null })
  await pool.query({ ...insert, values: [organization, uuid, title, folded, grams, events] })
  return { title, uuid }
}

serveJson(Number(port), (request) => (request.method === 'GET' ? listFolders() : createFolder(request)))
