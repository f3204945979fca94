/** Storage that has lost or damaged a file: it is not published, or repaired if it was published before. */
import { createHash } from 'node:crypto'
import { administer } from '@reelkeep/server/main/admin.ts'
import { type Caller, type Exchange, HttpProxy, respond, runInProcess, stackEnv, withDatabase } from '@reelkeep/testkit'
import { Objects } from '@reelkeep/testkit/objects'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openPipelineFixture, soon } from '../pipeline/pipeline-fixture.ts'

const fixture = await opened(openPipelineFixture('lying_storage'))
const objects = new Objects(stackEnv(), 'reelkeep-media')
afterAll(() => objects[Symbol.dispose]())
const proxy = await opened(HttpProxy.open(stackEnv().STORAGE_ENDPOINT))

let caller: Caller
beforeEach(async () => {
  caller = await fixture.newOrganization()
})
await fixture.startWorker({ STORAGE_ENDPOINT: proxy.url, WORKER_ID: 'lied-to' })

const isFirstOutput = ({ method, path }: Exchange) => method === 'PUT' && path.includes('/0.json')

type PublishedRow = { prefix: string; names: string[]; bytes: string[]; md5: Buffer }

/** Without those that a repair has replaced. */
const publishedOf = (assetId: string) =>
  fixture.superuser.query<PublishedRow>(
    `select prefix, names, bytes, md5 from published_files
     where asset_id = $1 and replaced_by is null order by prefix`,
    [assetId],
  )

/** Compares all published files with storage. */
async function storedWrongly(assetId: string): Promise<string[]> {
  const wrong: string[] = []
  for (const { prefix, names, bytes, md5 } of await publishedOf(assetId)) {
    for (const [index, name] of names.entries()) {
      const text = await objects.find(prefix + name)
      const hash = createHash('md5')
        .update(text ?? 'missing')
        .digest()
      const expected = md5.subarray(16 * index, 16 * (index + 1))
      if (!hash.equals(expected) || Number(bytes[index]) !== text?.length) wrong.push(prefix + name)
    }
  }
  return wrong
}

describe('an attempt', () => {
  it('publishes the size and the checksum of each file that it stored', async () => {
    const assetId = await fixture.upload(caller)
    await soon(() => fixture.statusWithoutDelays(caller, assetId)).toBe('Completed')
    // Without the random part of the prefix.
    const folders = (await publishedOf(assetId)).map(({ prefix }) =>
      prefix.split('/')[2]?.replace(/-[0-9a-f]{16}$/, ''),
    )
    expect(folders).toEqual(['video-encode-2', 'video-package-3', 'video-probe-1'])
    expect(await storedWrongly(assetId)).toEqual([])
  })

  it('is repeated if storage has lost a file that it reported as stored', async () => {
    proxy.rules = [{ match: isFirstOutput, action: respond(200, '', { etag: '"0"' }), times: 1 }]
    const assetId = await fixture.upload(caller)
    await soon(() => fixture.statusWithoutDelays(caller, assetId)).toBe('Completed')
    expect(await storedWrongly(assetId)).toEqual([])
    expect(await fixture.publications(assetId)).toEqual(['video-probe 1', 'video-encode 3', 'video-package 4'])
  })

  it('is repeated if storage has other bytes than those that were sent', async () => {
    const damage = async (exchange: Exchange) => {
      const { status, headers, body } = await exchange.send()
      const key = exchange.path.split('?')[0]?.split('/').slice(2).join('/') ?? ''
      await objects.put(key, `${await exchange.body()}`.replace('{', '['))
      exchange.response.writeHead(status, headers).end(body)
    }
    proxy.rules = [{ match: isFirstOutput, action: damage, times: 1 }]
    const assetId = await fixture.upload(caller)
    await soon(() => fixture.statusWithoutDelays(caller, assetId)).toBe('Completed')
    expect(await storedWrongly(assetId)).toEqual([])
    expect(await fixture.publications(assetId)).toEqual(['video-probe 1', 'video-encode 3', 'video-package 4'])
  })
})

describe('a repair', () => {
  const scrub = () => runInProcess((io) => administer(['scrub-storage'], io), withDatabase(stackEnv(), 'lying_storage'))
  const encoded = async (assetId: string) =>
    (await publishedOf(assetId)).find(({ prefix }) => prefix.includes('/video-encode-'))?.prefix ?? ''

  it('runs the step again that made a damaged file, and publishes its files under another prefix', async () => {
    const assetId = await fixture.upload(caller)
    await soon(() => fixture.statusWithoutDelays(caller, assetId)).toBe('Completed')
    const damaged = await encoded(assetId)
    await objects.put(`${damaged}0.json`, 'damaged')
    expect((await scrub()).output).toContain(`${damaged}0.json`)
    await soon(() => encoded(assetId)).not.toBe(damaged)
    expect(await encoded(assetId)).toMatch(/video-encode-4-[0-9a-f]{16}\/$/)
    expect(await storedWrongly(assetId)).toEqual([])
    expect((await scrub()).code).toBe(0)
  })
})
