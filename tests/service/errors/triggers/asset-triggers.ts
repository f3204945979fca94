import { type Caller, openSession, TestApi, uploadAsset } from '@reelkeep/testkit'
import type { ErrorTriggers } from './triggers.ts'

const unknownId = '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'
const unknownFolder = '11111111111'

const newAsset = async (caller: Caller) => `assets/${(await openSession(caller)).asset.id}/`

export const assetTriggers = {
  listAssets: {
    invalid_cursor: ({ caller }) => caller.get('assets/?cursor=junk'),
    target_folder_not_found: ({ caller }) => caller.get(`assets/?folder=${unknownFolder}`),
  },
  readAsset: {
    asset_not_found: ({ caller }) => caller.get(`assets/${unknownId}/`),
  },
  updateAsset: {
    asset_not_found: ({ caller }) => caller.patch(`assets/${unknownId}/`, { title: 'x' }),
    invalid_title: async ({ caller }) => caller.patch(await newAsset(caller), { title: 'x'.repeat(256) }),
    target_folder_not_found: async ({ caller }) => caller.patch(await newAsset(caller), { folder: unknownFolder }),
    changed_meanwhile: async ({ caller }) =>
      caller.patch(await newAsset(caller), { title: 'x' }, { 'If-Match': '"other"' }),
    external_id_taken: async ({ caller }) => {
      await caller.patch(await newAsset(caller), { external_id: 'lecture-1' })
      return caller.patch(await newAsset(caller), { external_id: 'lecture-1' })
    },
    protection_fixed: async ({ caller }) => {
      const { asset } = await uploadAsset(caller)
      return caller.patch(`assets/${asset.id}/`, { content_protection_type: 'aes' })
    },
    drm_not_configured: async () => {
      await using testApi = await TestApi.open({ DRM_PROVIDER: 'none' })
      const caller = await testApi.newOrganization()
      return await caller.patch(await newAsset(caller), { content_protection_type: 'drm' })
    },
  },
  moveAsset: {
    asset_not_found: ({ caller }) => caller.post(`assets/${unknownId}/move/`, { folder: null }),
    target_folder_not_found: async ({ caller }) =>
      caller.post(`${await newAsset(caller)}move/`, { folder: unknownFolder }),
  },
  deleteAsset: {
    asset_not_found: ({ caller }) => caller.delete(`assets/${unknownId}/`),
  },
  cancelAsset: {
    asset_not_found: ({ caller }) => caller.post(`assets/${unknownId}/cancel/`, {}),
    nothing_to_cancel: async ({ caller }) => caller.post(`${await newAsset(caller)}cancel/`, {}),
  },
  retryAsset: {
    asset_not_found: ({ caller }) => caller.post(`assets/${unknownId}/retry/`, {}),
    nothing_to_retry: async ({ caller }) => caller.post(`${await newAsset(caller)}retry/`, {}),
  },
  readAssetTimeline: {
    asset_not_found: ({ caller }) => caller.get(`assets/${unknownId}/timeline/`),
  },
  readAssetPlan: {
    asset_not_found: ({ caller }) => caller.get(`assets/${unknownId}/plan/`),
  },
} satisfies Partial<ErrorTriggers>
