/** Encrypting segments for storage and reading them back. */
import { createSecretKey } from 'node:crypto'
import { openOwner, openSession, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../../kernel/ids.ts'
import { requireAsset } from '../../assets/assets.ts'
import { clearKey, KeyUnavailable } from '../../content-keys/content-keys.ts'
import { attemptPrefix, openOutputs, openStored } from '../outputs.ts'
import { clearReaderOf, sealerOf } from './protection.ts'

const world = await opened(TestApi.open())
const owner = await opened(Promise.resolve(openOwner()))
const { media, config } = world.context
const signal = AbortSignal.timeout(60_000)
const clear = Buffer.from('what is in a segment, from its beginning to its end')

async function newVideo(type: string) {
  const caller = await world.newOrganization()
  const db = owner.forOrganization(caller.organizationId as OrganizationId)
  const session = await openSession(caller, { content_protection_type: type })
  const asset = await requireAsset(db, session.asset.id as AssetId)
  const attempt = (nonce: string) => {
    const prefix = attemptPrefix(db, asset.id, { step: 'video-encode', token: 1, nonce })
    return openOutputs(media, prefix, signal)
  }
  const stored = openStored(media, signal)
  const drm = { provider: clearKey, scheme: 'cbcs' } as const
  const keyRing = config.KEY_ENCRYPTION_KEYS
  return { context: { keyRing, db, asset, stored, drm, signal }, attempt, stored }
}

const NAME = '240p/00021.m4s'

describe.each(['disable', 'aes'])('a segment of a video with %s', (type) => {
  it('is read back unchanged, whole and by range', async () => {
    const { context, attempt } = await newVideo(type)
    const outputs = attempt('a')
    const place = { number: 21, key: outputs.prefix + NAME }
    await outputs.put(NAME, (await sealerOf(context))(place, clear), 'video/mp4')
    const reader = await clearReaderOf(context)
    const part = await reader.readPart(place, { start: 8, end: 20 })
    expect(part).toEqual(clear.subarray(8, 20))
  })
})

describe('a segment of a video with aes', () => {
  it('is stored encrypted, and differently for each attempt', async () => {
    const { context, attempt } = await newVideo('aes')
    const seal = await sealerOf(context)
    const sealed = ['a', 'b'].map((nonce) =>
      seal({ number: 21, key: attempt(nonce).prefix + NAME }, clear).toString('latin1'),
    )
    expect(new Set([clear.toString('latin1'), ...sealed]).size).toBe(3)
    expect(sealed.join()).not.toContain('what is in')
  })

  it('is not written while its keys are unavailable, and the next attempt succeeds', async () => {
    const { context } = await newVideo('aes')
    await sealerOf(context)
    const wrong = { id: 'another', key: createSecretKey(Buffer.alloc(32)) }
    const unable = { ...context, keyRing: [wrong] as const }
    await expect(sealerOf(unable)).rejects.toThrow(KeyUnavailable)
    await expect(clearReaderOf(unable)).rejects.toThrow(/KEY_ENCRYPTION_KEYS/)
    await expect(sealerOf(context)).resolves.toBeTypeOf('function')
  })
})
