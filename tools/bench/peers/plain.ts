/** Starts the service of baselines/plain-service.ts with the rows of our database. */
import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { freePort, Objects, type StackEnv, Superuser, withDatabase } from '@reelkeep/testkit'
import { startBareServer } from '../support/compare.ts'
import { copyDatabase, copyRows, createDatabase, isSeeded } from './databases.ts'
import { FILE_BYTES, FREQUENT_TEXT, get, PAGE_SIZE, type Peer, postJson, RARE_TEXT, type Rows } from './operations.ts'

const BUCKET = 'bench-peers-plain'
const FILE_KEY = 'plain/file'
const TOKEN = 'plain-service-token'
const FOLDER = 1

const tables = `
  create table api_tokens (id bigserial primary key, token text not null unique, created_at timestamptz default now());
  create table folders (id bigserial primary key, title text not null, created_at timestamptz default now());
  create table assets (
    id bigserial primary key,
    folder_id bigint references folders,
    title text not null,
    description text,
    status text not null,
    bytes bigint,
    duration_seconds double precision,
    storage_key text not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  create index on assets (folder_id);
  insert into api_tokens (token) values ('${TOKEN}');
  insert into folders (title) values ('Large');`

/** Identifiers follow the time of creation, so an order by identifier is newest first. */
const rows = `
  select ${FOLDER}, title, status, bytes, duration_seconds, '${FILE_KEY}', created_at, updated_at
  from assets order by created_at`
const columns = 'folder_id, title, status, bytes, duration_seconds, storage_key, created_at, updated_at'

export async function seedPlain(source: StackEnv, size: number): Promise<StackEnv> {
  const name = `bench_peers_plain_${size}`
  const seeded = withDatabase(source, name)
  if (await isSeeded(source, name, 'assets')) return seeded
  await createDatabase(source, name)
  await using superuser = await Superuser.open(seeded)
  await superuser.query(tables)
  await copyRows({ env: source, select: rows }, { env: seeded, table: `assets (${columns})` })
  return seeded
}

export async function startPlain(seeded: StackEnv, { size }: Rows): Promise<Peer> {
  const env = await copyDatabase(seeded, new URL(seeded.DATABASE_SUPERUSER_URL).pathname.slice(1))
  const { DATABASE_SUPERUSER_URL: databaseUrl, STORAGE_ENDPOINT } = env
  const { STORAGE_ACCESS_KEY_ID, STORAGE_SECRET_ACCESS_KEY } = env
  using objects = new Objects(env, BUCKET)
  await objects.client.send(new CreateBucketCommand({ Bucket: BUCKET }))
  await objects.put(FILE_KEY, Buffer.alloc(FILE_BYTES, 1))
  const port = await freePort()
  const storage = [STORAGE_ENDPOINT, BUCKET, STORAGE_ACCESS_KEY_ID, STORAGE_SECRET_ACCESS_KEY]
  const server = await startBareServer('plain-service.ts', [databaseUrl, String(port), ...storage])
  const list = (query: string) => get(`/assets?limit=${PAGE_SIZE}&${query}`)
  const firstPage = () => list(`folder=${FOLDER}`)
  const deepPage = () => list(`folder=${FOLDER}&page=${Math.floor(size / PAGE_SIZE) - 1}`)
  const search = (text: string) => list(`search=${encodeURIComponent(text)}`)
  return {
    ...{ name: 'plain', databaseUrl, pid: server.pid, baseUrl: `http://127.0.0.1:${port}` },
    headers: { authorization: `Bearer ${TOKEN}` },
    requests: {
      'first page': firstPage,
      'first page, all fields': firstPage,
      'deep page': deepPage,
      'deep page by cursor': deepPage,
      'rare text': () => search(RARE_TEXT),
      'frequent text': () => search(FREQUENT_TEXT),
      'get one': (number) => get(`/assets/${((number * 7919) % size) + 1}`),
      create: (number) => postJson('/assets', { title: `Berlin lecture ${number}`, folder: FOLDER }),
      download: () => get('/assets/1/file'),
    },
    rowsOf: (body) => (body as { results: unknown[] }).results,
    [Symbol.asyncDispose]: async () => server[Symbol.dispose](),
  }
}
