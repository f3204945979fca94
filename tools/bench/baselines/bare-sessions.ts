/**
 * The baseline for creating a session: `node:http` and `pg` with the same SQL in one prepared statement, the same
 * signature, and nothing else. No framework, validation, authentication, limits, logs or row-level security.
 */
import type { IncomingMessage } from 'node:http'
import { newAssetId, newUploadSessionUuid } from '@reelkeep/server/kernel/ids.ts'
import { foldForSearch, gramsOf } from '@reelkeep/server/kernel/search-text.ts'
import { timestampFromPostgres } from '@reelkeep/server/kernel/time.ts'
import { signForm } from '@reelkeep/server/platform/storage/post-form.ts'
import pg from 'pg'
import { jsonOf, serveJson } from './bare-http.ts'

const [url = '', port = '0', organization = '', link = '', accessKeyId = '', secretAccessKey = ''] =
  process.argv.slice(2)
const pool = new pg.Pool({ connectionString: url, max: 16, options: '-c timezone=UTC' })
const signer = {
  link,
  bucket: 'reelkeep-uploads',
  region: 'us-east-1',
  credentials: { accessKeyId, secretAccessKey },
}
const BYTES_MAX = 5 * 1024 ** 3

const insert = {
  name: 'insert',
  text: `
    with asset as (
      insert into assets (organization_id, id, title, search_title, grams, resolutions,
        content_protection_type, generate_subtitle)
      select $1, $2, $3, $4, $5, $6, content_protection_type, false from organizations where id = $1
      returning organization_id, id, created_at
    ),
    counted as (
      insert into asset_counts as counts (organization_id, slot, asset_count)
      select organization_id, pg_backend_pid() % 16, 1 from asset
      on conflict (organization_id, slot) do update set asset_count = counts.asset_count + 1
    ),
    recorded as (
      insert into event_outbox (organization_id, type, asset_id, subject, data)
      select organization_id, event.type, id, id, event.data
      from asset, (values ('upload_session.created', $9::jsonb), ('asset.created', $10::jsonb)) as event (type, data)
    )
    insert into upload_sessions
      (organization_id, uuid, asset_id, max_file_size_bytes, expires_at, closes_at, look_at)
    select organization_id, $7, id, $8, now() + interval '6 hours', now() + interval '18 hours',
      now() + interval '15 seconds'
    from asset returning now()::text as now, expires_at::text as expires_at`,
}

async function createSession(request: IncomingMessage) {
  const { title, resolutions } = await jsonOf<{ title: string; resolutions: string[] }>(request)
  const [assetId, uuid] = [newAssetId(), newUploadSessionUuid()]
  const folded = foldForSearch(title)
  const grams = gramsOf(organization, folded)
  const row = [organization, assetId, title, folded, grams, resolutions, uuid, BYTES_MAX]
  const events = [
    { uuid, asset_id: assetId, status: 'Created', error: null },
    { id: assetId, title, parent_id: null, status: 'Not Started', duration: null, error: null },
  ].map((data) => JSON.stringify(data))
  const { rows } = await pool.query({ ...insert, values: [...row, ...events] })
  const now = timestampFromPostgres(rows[0].now)
  const expiresAt = timestampFromPostgres(rows[0].expires_at)
  const key = `${organization}/${assetId}/${uuid}`
  const form = await signForm(signer, { key, bytesMax: BYTES_MAX, signedAt: now, expiresAt })
  return {
    asset: { id: assetId, title, bytes: null, type: 'video', video: { status: 'Not Started' } },
    upload_session: {
      uuid,
      max_file_size_bytes: BYTES_MAX,
      expires_at: expiresAt,
      status: 'Created',
    },
    client_payload: { upload_link: form.link, ...form.fields },
  }
}

serveJson(Number(port), createSession)
