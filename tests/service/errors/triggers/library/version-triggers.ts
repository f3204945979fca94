import { type Caller, openSession, Superuser, uploadAsset } from '@reelkeep/testkit'
import type { ErrorTriggers } from '../triggers.ts'

const unknownId = '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'

/** An asset whose file has been processed, in an organization that keeps one version. */
async function completedAsset(caller: Caller): Promise<string> {
  const { asset } = await uploadAsset(caller)
  await using superuser = await Superuser.open()
  await superuser.query(`update assets set status = 'Completed' where id = $1`, [asset.id])
  await superuser.query('update organizations set versions_kept = 1 where id = $1', [caller.organizationId])
  return `assets/${asset.id}/`
}

/** Requests more versions than can be pending. */
async function versionsOver(caller: Caller, asset: string) {
  for (let pending = 0; pending < 10; pending++) await caller.post(`${asset}versions/`, {})
  return caller.post(`${asset}versions/`, {})
}

export const versionTriggers = {
  createVersion: {
    asset_not_found: ({ caller }) => caller.post(`assets/${unknownId}/versions/`, {}),
    asset_not_replaceable: async ({ caller }) =>
      caller.post(`assets/${(await openSession(caller)).asset.id}/versions/`, {}),
    too_many_versions: async ({ caller }) => versionsOver(caller, await completedAsset(caller)),
    legal_hold: async ({ caller }) => {
      const asset = await completedAsset(caller)
      await caller.patch(asset, { legal_hold: true })
      return caller.post(`${asset}versions/`, {})
    },
    file_too_large: async ({ caller }) =>
      caller.post(`${await completedAsset(caller)}versions/`, { file_size_bytes: 5 * 1024 ** 4 }),
    quota_exceeded: async ({ caller, superuser }) => {
      await superuser.query('update organizations set quota_open_sessions = 1 where id = $1', [caller.organizationId])
      const asset = await completedAsset(caller)
      await caller.post(`${asset}versions/`, {})
      return caller.post(`${asset}versions/`, {})
    },
  },
  listVersions: {
    asset_not_found: ({ caller }) => caller.get(`assets/${unknownId}/versions/`),
  },
  activateVersion: {
    asset_not_found: ({ caller }) => caller.post(`assets/${unknownId}/versions/1/activate/`),
    version_not_found: async ({ caller }) => caller.post(`${await completedAsset(caller)}versions/9/activate/`),
    version_not_playable: async ({ caller }) => {
      const asset = await completedAsset(caller)
      await caller.post(`${asset}versions/`, {})
      return caller.post(`${asset}versions/2/activate/`)
    },
  },
} satisfies Partial<ErrorTriggers>
