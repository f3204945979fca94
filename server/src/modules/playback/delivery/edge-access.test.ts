import { describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../../kernel/ids.ts'
import type { Viewer } from '../../playback-tokens/playback-tokens.ts'
import { EdgeAccess } from './edge-access.ts'

const viewerOf = (assetId: string): Viewer => ({
  organizationId: 'acme1234' as OrganizationId,
  assetId: assetId as AssetId,
  pass: 'open',
})

describe('the state of a video', () => {
  it('is queried once per video for a thousand concurrent requests', async () => {
    const looks: string[] = []
    const access = new EdgeAccess(async ({ assetId }) => {
      looks.push(assetId)
      return { contentProtection: 'disable' }
    })
    const asked = Array.from({ length: 1000 }, (_, index) => viewerOf(index % 2 ? 'one' : 'two'))
    await Promise.all(asked.map((viewer) => access.assertMayHave(viewer)))
    await access.assertMayHave(viewerOf('one'))
    expect(looks.sort()).toEqual(['one', 'two'])
  })

  it('is queried again after a failure, which rejects all waiting requests', async () => {
    let answer = () => Promise.reject<undefined>(new Error('no database'))
    const access = new EdgeAccess(() => answer())
    const ask = () => access.assertMayHave(viewerOf('one'))
    const failed = await Promise.allSettled([ask(), ask()])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    answer = () => Promise.resolve(undefined)
    await expect(ask()).rejects.toMatchObject({ code: 'not_found' })
  })
})
