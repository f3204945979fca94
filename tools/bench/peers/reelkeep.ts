/**
 * Our side of `pnpm bench peers`: the API as an operator runs it, with row-level security. It counts the matches of a
 * list up to 10,000, searches the text anywhere in a title, and records two events for each created upload session.
 */
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { createToken } from '@reelkeep/server/modules/tokens/tokens.ts'
import { encodeCursor } from '@reelkeep/server/platform/db/paging/keyset.ts'
import { Caller, openOwner, type StackEnv, Superuser, setUpUploads, withDatabase } from '@reelkeep/testkit'
import { LARGE_FOLDER, seedOnce } from '../assets/seed-assets.ts'
import { openDelivery } from '../delivery/delivery-fixture.ts'
import { startBenchService } from '../support/bench-service.ts'
import { copyDatabase } from './databases.ts'
import { FREQUENT_TEXT, get, PAGE_SIZE, type Peer, postJson, RARE_TEXT, type Rows } from './operations.ts'

const ORGANIZATION = 'benchpeers'
/** The fields that the other services have too. */
const FIELDS = 'id,title,parent_id,description,bytes,video.status,video.duration,created_at,updated_at'
/** Number of assets that are requested one by one. */
const SAMPLES = 1000

export async function seedReelkeep(env: StackEnv, size: number): Promise<StackEnv> {
  const seeded = withDatabase(env, `bench_peers_reelkeep_${size}`)
  await seedOnce(seeded, { organization: ORGANIZATION, count: size, isInOneFolder: true })
  return seeded
}

/** Reads assets from all parts of the list. */
export async function samplesOf(seeded: StackEnv, size: number): Promise<Rows['samples']> {
  await using superuser = await Superuser.open(seeded)
  return await superuser.query<Rows['samples'][number]>(
    'select id, search_title from assets where abs(hashtext(id::text)) % $1 = 0 limit $2',
    [Math.ceil(size / SAMPLES), SAMPLES],
  )
}

/** Starts the API with a copy of the seeded database. */
export async function startReelkeep(seeded: StackEnv, { samples }: Rows): Promise<Peer> {
  const env = await copyDatabase(seeded, new URL(seeded.DATABASE_SUPERUSER_URL).pathname.slice(1))
  await setUpUploads(env)
  const service = await startBenchService(env, async (send) => {
    await using owner = openOwner(env)
    const options = { name: 'Bench', scopes: ['*' as const], expiresAt: null }
    const { text } = await createToken(owner.forOrganization(ORGANIZATION as OrganizationId), 'system', options)
    return new Caller(send, ORGANIZATION, text)
  })
  const { tokens, mediaFiles, pathOf } = await openDelivery(service, 1)
  const assets = new URL(`${service.assetsUrl}/`).pathname
  const list = (query: string) => `${assets}?limit=${PAGE_SIZE}&${query}`
  const inFolder = `folder=${LARGE_FOLDER}`
  const deepPage = await pathNearEnd(service.caller, list(`${inFolder}&fields=${FIELDS}`))
  const search = (text: string) => get(list(`fields=${FIELDS}&q=${encodeURIComponent(text)}`))
  return {
    ...service,
    name: 'Reelkeep',
    headers: { authorization: `token ${service.caller.token}` },
    requests: {
      'first page': () => get(list(`${inFolder}&fields=${FIELDS}`)),
      'first page, all fields': () => get(list(inFolder)),
      'deep page': () => get(deepPage),
      'deep page by cursor': () => get(deepPage),
      'rare text': () => search(RARE_TEXT),
      'frequent text': () => search(FREQUENT_TEXT),
      'get one': (number) => get(`${assets}${samples[number % samples.length]?.id}/`),
      create: (number) => {
        const body = { title: `Berlin lecture ${number}`, folder: LARGE_FOLDER, resolutions: ['360p', '720p'] }
        return postJson(`${assets}upload-sessions/`, body)
      },
      download: () => get(pathOf(tokens[0] ?? '', mediaFiles[2] ?? '')),
    },
    rowsOf: (body) => (body as { results: unknown[] }).results,
  }
}

/** The path of the second-last page. It is the `next` of the page before, as a client that reads forward gets it. */
async function pathNearEnd(caller: Caller, firstPage: string): Promise<string> {
  const end = encodeCursor({ direction: 'before', key: [] })
  let path = `${firstPage}&cursor=${end}`
  for (const link of ['previous', 'previous', 'next'] as const) {
    const { body } = await caller.get<Record<typeof link, string>>(new URL(path, 'http://localhost').href)
    const { pathname, search } = new URL(body[link])
    path = pathname + search
  }
  return path
}
