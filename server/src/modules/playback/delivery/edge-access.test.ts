import { describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../../kernel/ids.ts'
import type { Viewer } from '../../playback-tokens/playback-tokens.ts'
import { EdgeAccess } from './edge-access.ts'

const viewerOf = (assetId: string): Viewer => ({
  organizationId: 'acme1234' as OrganizationId,
  assetId: assetId as AssetId,
  token: 'open',
})

describe('the state of a video', () => {
  it('is queried once per video for a thousand concurrent requests', async () => {
    const queries: string[] = []
    const access = new EdgeAccess(async ({ assetId }) => {
      queries.push(assetId)
      return { contentProtection: 'disable' }
    })
    const viewers = Array.from({ length: 1000 }, (_, index) => viewerOf(index % 2 ? 'one' : 'two'))
    await Promise.all(viewers.map((viewer) => access.assertMayFetch(viewer)))
    await access.assertMayFetch(viewerOf('one'))
    expect(queries.sort()).toEqual(['one', 'two'])
  })

  it('is queried again after a failure, which rejects all waiting requests', async () => {
    let findState = () => Promise.reject<undefined>(new Error('no database'))
    const access = new EdgeAccess(() => findState())
    const check = () => access.assertMayFetch(viewerOf('one'))
    const failed = await Promise.allSettled([check(), check()])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    findState = () => Promise.resolve(undefined)
    await expect(check()).rejects.toMatchObject({ code: 'not_found' })
  })
})
