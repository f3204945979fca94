import { Type } from 'typebox'
import { bodyOf, noQuery, nullable, openSet, timestampField } from '../fields.ts'
import { Asset, AssetId, Failure, videoStatuses } from '../library/assets.ts'
import type { Operation } from '../operation.ts'
import { page } from '../page.ts'
import { NewUploadSession, SessionUuid, sessionLimits } from './upload-sessions.ts'

export const Version = Type.Object(
  {
    number: Type.Integer({
      minimum: 1,
      description: 'Number of the version. Numbers of deleted versions are not used again.',
    }),
    status: openSet(videoStatuses, { description: 'Like `video.status` of an asset.' }),
    is_active: Type.Boolean({ description: 'Whether this version plays.' }),
    bytes: nullable(Type.Integer(), 'Size of the uploaded file; null until it has been uploaded.'),
    duration: nullable(Type.Number(), 'Duration in seconds; null until the file has been analyzed.'),
    upload_session_uuid: nullable(SessionUuid, 'The upload session of the version.'),
    error: nullable(Failure, 'Why the version failed; null otherwise.'),
    created_at: timestampField,
    activated_at: nullable(timestampField, 'When the version played for the first time; null if it never did.'),
  },
  { title: 'Version' },
)
export type Version = Type.Static<typeof Version>

export const NewVersion = Type.Object({ ...NewUploadSession.properties, version: Version }, { title: 'NewVersion' })
export type NewVersion = Type.Static<typeof NewVersion>

const onAsset = Type.Object({ asset_id: AssetId })
const onVersion = Type.Object({
  asset_id: AssetId,
  version_number: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'Number of the version.' }),
})
const shared = { tag: 'Versions', idempotent: false } as const

export const createVersion = {
  ...shared,
  id: 'createVersion',
  method: 'POST',
  path: '/assets/:asset_id/versions/',
  summary: 'Upload a new version',
  description:
    'Creates an upload session for another file of the asset. Upload the file as for a new asset. The current version plays until the new one has been processed completely; then all links play the new one. Settings, chapters and uploaded subtitles of the asset stay. If the new version fails or is cancelled, the asset does not change. When a version becomes active, the oldest ones beyond `versions_kept` of the organization are deleted.',
  scopes: ['assets:write'],
  params: onAsset,
  query: noQuery,
  body: bodyOf(sessionLimits, { file_size_bytes: 52_428_800 }),
  success: { status: 201, body: NewVersion },
  idempotent: true,
  secretResponse: true,
  errors: [
    'asset_not_found',
    'asset_not_replaceable',
    'too_many_versions',
    'legal_hold',
    'file_too_large',
    'quota_exceeded',
  ],
} as const satisfies Operation

export const listVersions = {
  ...shared,
  id: 'listVersions',
  method: 'GET',
  path: '/assets/:asset_id/versions/',
  summary: 'List versions',
  description:
    'Returns all versions of the asset, newest first: those that can be activated, and those that are being processed or have failed. They are few, so there is one page.',
  scopes: ['assets:read'],
  params: onAsset,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: page(Version) },
  errors: ['asset_not_found'],
} as const satisfies Operation

export const activateVersion = {
  ...shared,
  id: 'activateVersion',
  method: 'POST',
  repeatable: true,
  path: '/assets/:asset_id/versions/:version_number/activate/',
  summary: 'Activate a version',
  description:
    'Plays another version, for example to roll back to the previous one. It must have been processed completely. Activating the version that is active has no effect.',
  scopes: ['assets:write'],
  params: onVersion,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: Asset },
  errors: ['asset_not_found', 'version_not_found', 'version_not_playable'],
} as const satisfies Operation

export const operations = [createVersion, listVersions, activateVersion] as const
