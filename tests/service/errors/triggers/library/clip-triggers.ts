import { type Caller, openSession, processAsset, uploadAsset } from '@reelkeep/testkit'
import type { ErrorTriggers } from '../triggers.ts'

const unknownId = '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'
const part = { start_seconds: 1, end_seconds: 2 }

/** An encoded video of 16 seconds. */
async function encodedAsset(caller: Caller): Promise<string> {
  const { asset } = await uploadAsset(caller)
  await processAsset({ organizationId: caller.organizationId, assetId: asset.id })
  return `assets/${asset.id}/`
}

const newAsset = async (caller: Caller) => `assets/${(await openSession(caller)).asset.id}/`

export const clipTriggers = {
  createClip: {
    asset_not_found: ({ caller }) => caller.post(`assets/${unknownId}/clips/`, part),
    clip_not_available: async ({ caller }) => caller.post(`${await newAsset(caller)}clips/`, part),
    invalid_title: async ({ caller }) => caller.post(`${await encodedAsset(caller)}clips/`, { ...part, title: ' ' }),
    quota_exceeded: async ({ caller, superuser }) => {
      // Before the first request: whether an organization has quotas is cached.
      await superuser.query('update organizations set quota_assets = 1 where id = $1', [caller.organizationId])
      return caller.post(`${await encodedAsset(caller)}clips/`, part)
    },
    range_outside_video: async ({ caller }) =>
      caller.post(`${await encodedAsset(caller)}clips/`, { start_seconds: 1, end_seconds: 17 }),
  },
  renderAsset: {
    asset_not_found: ({ caller }) => caller.post(`assets/${unknownId}/render/`, part),
    clip_not_available: async ({ caller }) => caller.post(`${await newAsset(caller)}render/`, part),
    invalid_title: async ({ caller }) => caller.post(`${await encodedAsset(caller)}render/`, { title: ' ' }),
    quota_exceeded: async ({ caller, superuser }) => {
      await superuser.query('update organizations set quota_assets = 1 where id = $1', [caller.organizationId])
      return caller.post(`${await encodedAsset(caller)}render/`, part)
    },
    range_outside_video: async ({ caller }) => caller.post(`${await encodedAsset(caller)}render/`, { end_seconds: 17 }),
    render_not_available: async ({ caller, superuser }) => {
      const path = await encodedAsset(caller)
      await superuser.query(`update assets set content_protection_type = 'drm' where organization_id = $1`, [
        caller.organizationId,
      ])
      return caller.post(`${path}render/`, part)
    },
  },
  setTrim: {
    asset_not_found: ({ caller }) => caller.put(`assets/${unknownId}/trim/`, part),
    changed_meanwhile: async ({ caller }) =>
      caller.send('PUT', `${await encodedAsset(caller)}trim/`, part, { 'if-match': '"other"' }),
    clip_not_available: async ({ caller }) => caller.put(`${await newAsset(caller)}trim/`, part),
    range_outside_video: async ({ caller }) =>
      caller.put(`${await encodedAsset(caller)}trim/`, { start_seconds: 3, end_seconds: 3 }),
  },
  deleteTrim: {
    asset_not_found: ({ caller }) => caller.delete(`assets/${unknownId}/trim/`),
    changed_meanwhile: async ({ caller }) =>
      caller.send('DELETE', `${await encodedAsset(caller)}trim/`, undefined, { 'if-match': '"other"' }),
  },
} satisfies Partial<ErrorTriggers>
