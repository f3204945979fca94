import { type Caller, openSession, TestApi, uploadAsset } from '@reelkeep/testkit'
import { limitedCaller } from './limited.ts'
import type { ErrorTriggers } from './triggers.ts'

const unknownId = '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'
const unknownFolder = '11111111111'

const newAsset = async (caller: Caller) => `assets/${(await openSession(caller)).asset.id}/`

/** A new asset in a folder that is under legal hold. */
async function heldAsset(caller: Caller): Promise<string> {
  const { body } = await caller.post<{ uuid: string }>('assets/folders/', { title: 'Evidence' })
  await caller.patch(`assets/folders/${body.uuid}/`, { legal_hold: true })
  return `assets/${(await openSession(caller, { folder: body.uuid })).asset.id}/`
}

async function downloadsOf(caller: Caller, more: object = {}): Promise<string> {
  const { asset } = await openSession(caller, more)
  return `assets/${asset.id}/downloads/`
}

export const assetTriggers = {
  createDownload: {
    asset_not_found: ({ caller }) => caller.post(`assets/${unknownId}/downloads/`, { kind: 'mp4' }),
    source_not_available: async ({ caller }) => caller.post(await downloadsOf(caller), { kind: 'source' }),
    rendition_not_available: async ({ caller }) => {
      const { asset } = await uploadAsset(caller, { content_protection_type: 'disable' })
      return caller.post(`assets/${asset.id}/downloads/`, { kind: 'mp4', resolution: '360p' })
    },
    content_protected: async ({ caller }) =>
      caller.post(await downloadsOf(caller, { content_protection_type: 'aes' }), { kind: 'mp4' }),
  },
  listTrash: {
    invalid_cursor: ({ caller }) => caller.get('trash/?cursor=junk'),
  },
  restoreAsset: {
    asset_not_found: ({ caller }) => caller.post(`assets/${unknownId}/restore/`, {}),
    legal_hold: async ({ caller }) => {
      const newFolder = async (parent: string | null) =>
        (await caller.post<{ uuid: string }>('assets/folders/', { title: 'Evidence', parent })).body.uuid
      const outer = await newFolder(null)
      const inner = await newFolder(outer)
      const asset = `assets/${(await openSession(caller, { folder: inner })).asset.id}/`
      for (const path of [asset, `assets/folders/${inner}/`]) await caller.delete(path)
      await caller.patch(`assets/folders/${outer}/`, { legal_hold: true })
      return caller.post(`${asset}restore/`, {})
    },
    outside_folder: async ({ caller }) => {
      const { folder, limited } = await limitedCaller(caller)
      const { body } = await caller.post<{ uuid: string }>('assets/folders/', { title: 'inner', parent: folder })
      const asset = `assets/${(await openSession(caller, { folder: body.uuid })).asset.id}/`
      for (const path of [asset, `assets/folders/${body.uuid}/`]) await caller.delete(path)
      return limited.post(`${asset}restore/`, {})
    },
  },
  searchMoments: {
    invalid_cursor: ({ caller }) => caller.get('search/?q=x&cursor=junk'),
    search_mode_not_available: ({ caller }) => caller.get('search/?q=a&mode=semantic'),
    target_folder_not_found: ({ caller }) => caller.get(`search/?q=x&folder=${unknownFolder}`),
  },
  searchAsset: {
    asset_not_found: ({ caller }) => caller.get(`assets/${unknownId}/search/?q=x`),
    invalid_cursor: async ({ caller }) => caller.get(`${await newAsset(caller)}search/?q=x&cursor=junk`),
  },
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
    legal_hold: async ({ caller }) => caller.patch(await heldAsset(caller), { folder: null }),
    outside_folder: async ({ caller }) => {
      const { folder, limited } = await limitedCaller(caller)
      const { asset } = await openSession(caller, { folder })
      return limited.patch(`assets/${asset.id}/`, { folder: null })
    },
  },
  moveAsset: {
    asset_not_found: ({ caller }) => caller.post(`assets/${unknownId}/move/`, { folder: null }),
    target_folder_not_found: async ({ caller }) =>
      caller.post(`${await newAsset(caller)}move/`, { folder: unknownFolder }),
    legal_hold: async ({ caller }) => caller.post(`${await heldAsset(caller)}move/`, { folder: null }),
    outside_folder: async ({ caller }) => {
      const { folder, limited } = await limitedCaller(caller)
      const { asset } = await openSession(caller, { folder })
      return limited.post(`assets/${asset.id}/move/`, { folder: null })
    },
  },
  deleteAsset: {
    asset_not_found: ({ caller }) => caller.delete(`assets/${unknownId}/`),
    legal_hold: async ({ caller }) => caller.delete(await heldAsset(caller)),
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
  readFrames: {
    asset_not_found: ({ caller }) => caller.get(`assets/${unknownId}/frames/?around=1`),
  },
} satisfies Partial<ErrorTriggers>
