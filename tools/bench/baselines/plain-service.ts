/**
 * A video asset service as tutorials write it, for `pnpm bench peers`: Express and Knex, pages by OFFSET with a count of
 * all matches, search by ILIKE, and a token that is looked up in a table for each request. It has primary keys, an index
 * for its foreign key and a unique one for tokens. It has no row-level security, events, idempotency or limits.
 *
 * node plain-service.ts DATABASE_URL PORT STORAGE_ENDPOINT BUCKET ACCESS_KEY_ID SECRET_ACCESS_KEY
 */
import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import express from 'express'
import Knex from 'knex'

const [url = '', port = '0', endpoint = '', bucket = '', accessKeyId = '', secretAccessKey = ''] = process.argv.slice(2)
const db = Knex({ client: 'pg', connection: url })
const storage = new S3Client({
  endpoint,
  region: 'us-east-1',
  forcePathStyle: true,
  credentials: { accessKeyId, secretAccessKey },
})
const UPLOAD_SECONDS = 6 * 60 * 60

type AssetRow = { readonly id: string; readonly title: string; readonly storage_key: string }
type ListQuery = { folder?: string; search?: string; page?: string; limit?: string }

const app = express()
// What NODE_ENV=production sets.
app.set('env', 'production')
app.use(express.json())

app.use(async (request, response, next) => {
  const token = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
  const found = await db('api_tokens').where({ token }).first()
  if (found) next()
  else response.status(401).json({ error: 'Unauthorized' })
})

app.get('/assets', async (request, response) => {
  const { folder, search, page = '1', limit = '50' } = request.query as ListQuery
  const filter = (query: Knex.Knex.QueryBuilder) => {
    if (folder) query.where({ folder_id: folder })
    if (search) query.whereILike('title', `%${search}%`)
  }
  const total = await db('assets').modify(filter).count({ count: '*' }).first()
  const results = await db('assets')
    .modify(filter)
    .orderBy('id', 'desc')
    .limit(Number(limit))
    .offset((Number(page) - 1) * Number(limit))
  response.json({ count: Number(total?.['count']), page: Number(page), results })
})

const findAsset = (id: string) => db<AssetRow>('assets').where({ id }).first()

app.get('/assets/:id', async ({ params }, response) => {
  const asset = await findAsset(params.id)
  if (asset) response.json(asset)
  else response.status(404).json({ error: 'Not found' })
})

app.post('/assets', async ({ body: { title, folder } }, response) => {
  const key = `plain/${randomUUID()}`
  const row = { title, folder_id: folder, storage_key: key, status: 'created' }
  const [asset] = await db('assets').insert(row).returning('*')
  const command = new PutObjectCommand({ Bucket: bucket, Key: key })
  const uploadUrl = await getSignedUrl(storage, command, { expiresIn: UPLOAD_SECONDS })
  response.status(201).json({ asset, uploadUrl })
})

app.get('/assets/:id/file', async ({ params }, response) => {
  const asset = await findAsset(params.id)
  if (!asset) {
    response.status(404).json({ error: 'Not found' })
    return
  }
  const { Body, ContentLength, ContentType } = await storage.send(
    new GetObjectCommand({ Bucket: bucket, Key: asset.storage_key }),
  )
  response.set({ 'content-length': String(ContentLength), 'content-type': ContentType ?? 'video/mp4' })
  await pipeline(Body as Readable, response)
})

app.listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'))
