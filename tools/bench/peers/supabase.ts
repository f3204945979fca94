/**
 * Starts supabase/storage from a folder with its built sources (`npm ci && npm run build`), with the rows of our
 * database. It runs in production mode for a single tenant, without pooler, queue, image transformation and tracing, and
 * logs only errors; all other settings are its defaults.
 *
 * Requests use the service key, the cheapest for it: that role bypasses row-level security. A signed URL for an upload
 * stores nothing: the row is created by the upload. `search` finds only names that start with the text.
 */
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { join, resolve } from 'node:path'
import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { freePort, Objects, poll, type StackEnv, Superuser, stopChild, withDatabase } from '@reelkeep/testkit'
import { copyDatabase, copyRows, createDatabase, isSeeded } from './databases.ts'
import { FILE_BYTES, FREQUENT_TEXT, get, PAGE_SIZE, type Peer, postJson, RARE_TEXT, type Rows } from './operations.ts'

const STORAGE_BUCKET = 'bench-peers-supabase'
const BUCKET = 'assets'
const FOLDER = 'large'
const FILE = 'files/file.mp4'
const JWT_SECRET = 'bench-peers-secret-0000000000000000000000'
const START_SECONDS_MAX = 120

export type SupabaseFolder = { readonly env: StackEnv; readonly folder: string }

function serviceKey(): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const nextCentury = Date.UTC(2100, 0) / 1000
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ role: 'service_role', exp: nextCentury })}`
  return `${signed}.${createHmac('sha256', JWT_SECRET).update(signed).digest('base64url')}`
}

const headers = { authorization: `Bearer ${serviceKey()}` }

/** Starts the server, which migrates its database. Resolves when it responds. */
async function startServer({ env, folder }: SupabaseFolder) {
  const port = String(await freePort())
  const program = join(resolve(folder), 'dist/start/server.js')
  // The kernel kills the program when this process ends, so a failing benchmark leaves nothing behind.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, program], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      NODE_ENV: 'production',
      LOG_LEVEL: 'error',
      SERVER_HOST: '127.0.0.1',
      SERVER_PORT: port,
      AUTH_JWT_SECRET: JWT_SECRET,
      DATABASE_URL: env.DATABASE_SUPERUSER_URL,
      DB_INSTALL_ROLES: 'true',
      DB_SUPER_USER: 'postgres',
      UPLOAD_FILE_SIZE_LIMIT: '524288000',
      STORAGE_BACKEND: 's3',
      STORAGE_S3_BUCKET: STORAGE_BUCKET,
      STORAGE_S3_ENDPOINT: env.STORAGE_ENDPOINT,
      STORAGE_S3_FORCE_PATH_STYLE: 'true',
      STORAGE_S3_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: env.STORAGE_ACCESS_KEY_ID,
      AWS_SECRET_ACCESS_KEY: env.STORAGE_SECRET_ACCESS_KEY,
    },
  })
  const baseUrl = `http://127.0.0.1:${port}`
  const isReady = async () => {
    if (child.exitCode !== null) throw new Error(`supabase/storage ended with code ${child.exitCode}.`)
    return await fetch(`${baseUrl}/status`).then(
      ({ ok }) => ok,
      () => false,
    )
  }
  await poll('supabase/storage', START_SECONDS_MAX, isReady)
  return { baseUrl, pid: child.pid ?? 0, [Symbol.asyncDispose]: async () => void (await stopChild(child, 'SIGKILL')) }
}

const insertBucket = `insert into storage.buckets (id, name) values ('${BUCKET}', '${BUCKET}')`

/** Names as an application would choose them. Its names cannot contain accents, so they use the folded titles. */
const rows = `
  select '${BUCKET}', '${FOLDER}/' || search_title || '.mp4', created_at, updated_at, updated_at, id,
    jsonb_build_object('eTag', md5(id::text), 'size', bytes, 'mimetype', 'video/mp4', 'cacheControl', 'no-cache',
      'lastModified', updated_at, 'contentLength', bytes, 'httpStatusCode', 200)
  from assets order by created_at`
const columns = 'bucket_id, name, created_at, updated_at, last_accessed_at, version, metadata'

export async function seedSupabase({ env: source, folder }: SupabaseFolder, size: number): Promise<StackEnv> {
  const name = `bench_peers_supabase_${size}`
  const seeded = withDatabase(source, name)
  if (await isSeeded(source, name, 'storage.objects')) return seeded
  await createDatabase(source, name)
  await (await startServer({ env: seeded, folder }))[Symbol.asyncDispose]()
  await using superuser = await Superuser.open(seeded)
  await superuser.query(insertBucket)
  await copyRows({ env: source, select: rows }, { env: seeded, table: `storage.objects (${columns})` })
  return seeded
}

/** The cursor of the second-last page, as `list-v2` returns it. */
async function cursorNearEnd(env: StackEnv): Promise<string> {
  await using superuser = await Superuser.open(env)
  const [row] = await superuser.query<{ name: string }>(
    `select name from storage.objects where bucket_id = $1 and name collate "C" like '${FOLDER}/%'
     order by name collate "C" desc offset ${2 * PAGE_SIZE} limit 1`,
    [BUCKET],
  )
  return Buffer.from(`l:${row?.name}`).toString('base64')
}

export async function startSupabase({ env: seeded, folder }: SupabaseFolder, { size, samples }: Rows): Promise<Peer> {
  const env = await copyDatabase(seeded, new URL(seeded.DATABASE_SUPERUSER_URL).pathname.slice(1))
  using objects = new Objects(env, STORAGE_BUCKET)
  await objects.client.send(new CreateBucketCommand({ Bucket: STORAGE_BUCKET }))
  const server = await startServer({ env, folder })
  await uploadFile(server.baseUrl)
  const list = (more: object) => postJson(`/object/list/${BUCKET}`, { prefix: FOLDER, limit: PAGE_SIZE, ...more })
  const byCursor = { prefix: `${FOLDER}/`, with_delimiter: true, limit: PAGE_SIZE, cursor: await cursorNearEnd(env) }
  return {
    ...server,
    ...{ name: 'supabase/storage', databaseUrl: env.DATABASE_SUPERUSER_URL, headers },
    requests: {
      'first page': () => list({ offset: 0 }),
      'first page, all fields': () => list({ offset: 0 }),
      'deep page': () => list({ offset: size - 2 * PAGE_SIZE }),
      'deep page by cursor': () => postJson(`/object/list-v2/${BUCKET}`, byCursor),
      'rare text': () => list({ offset: 0, search: RARE_TEXT }),
      'frequent text': () => list({ offset: 0, search: FREQUENT_TEXT }),
      'get one': (number) => {
        const name = samples[number % samples.length]?.search_title ?? ''
        return get(`/object/info/${BUCKET}/${FOLDER}/${encodeURIComponent(name)}.mp4`)
      },
      create: (number) => ({ method: 'POST', path: `/object/upload/sign/${BUCKET}/${FOLDER}/new%20${number}.mp4` }),
      download: () => get(`/object/authenticated/${BUCKET}/${FILE}`),
    },
    rowsOf: (body) => (Array.isArray(body) ? body : (body as { objects: unknown[] }).objects),
  }
}

async function uploadFile(baseUrl: string): Promise<void> {
  const { ok, status } = await fetch(`${baseUrl}/object/${BUCKET}/${FILE}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'video/mp4' },
    body: Buffer.alloc(FILE_BYTES, 1),
  })
  if (!ok) throw new Error(`supabase/storage refused the upload of a file with status ${status}.`)
}
