import { openSession, TestApi } from '@reelkeep/testkit'
import type { ErrorTriggers, Fixture } from '../triggers.ts'

const unknownId = '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'

/** An encoded video of ten seconds. */
async function encodedAsset({ caller, superuser }: Fixture): Promise<string> {
  const { asset } = await openSession(caller)
  await superuser.query('update assets set duration_seconds = 10 where id = $1', [asset.id])
  await superuser.query(
    `insert into renditions (organization_id, asset_id, name, width, height, bitrate_max, segments_total, segments_done)
     values ($1, $2, '240p', 426, 240, 400000, 3, 3)`,
    [caller.organizationId, asset.id],
  )
  return asset.id
}

export const coverTriggers = {
  readCover: {
    asset_not_found: ({ caller }) => caller.get(`assets/${unknownId}/cover/`),
  },
  setCover: {
    asset_not_found: ({ caller }) => caller.send('PUT', `assets/${unknownId}/cover/`, { at_seconds: 1 }),
    cover_not_available: async ({ caller }) => {
      const { asset } = await openSession(caller)
      return caller.send('PUT', `assets/${asset.id}/cover/`, { at_seconds: 1 })
    },
    upload_not_arrived: async ({ caller }) => {
      const { asset } = await openSession(caller)
      return caller.send('PUT', `assets/${asset.id}/cover/`, { upload_id: unknownId })
    },
    cover_outside_video: async (fixture) =>
      fixture.caller.send('PUT', `assets/${await encodedAsset(fixture)}/cover/`, { at_seconds: 10 }),
  },
  createCoverUpload: {
    asset_not_found: ({ caller }) => caller.post(`assets/${unknownId}/cover/uploads/`),
    cover_not_available: async () => {
      await using testApi = await TestApi.open({ STORAGE_FORMS: 'off' })
      const caller = await testApi.newOrganization()
      const { asset } = await openSession(caller)
      return await caller.post(`assets/${asset.id}/cover/uploads/`)
    },
  },
  deleteCover: {
    asset_not_found: ({ caller }) => caller.delete(`assets/${unknownId}/cover/`),
  },
} satisfies Partial<ErrorTriggers>
