import { Type } from 'typebox'
import { changesOf, ifMatch, noParams, noQuery, nullable, timestampField, titleField } from '../fields.ts'
import type { Operation } from '../operation.ts'
import { ContentProtection, Resolution } from './assets.ts'

/** Keeps the Content-Security-Policy header of the embed page short. */
export const EMBED_ORIGINS_MAX = 50

const defaultProtection = Type.Enum(ContentProtection.enum, {
  type: 'string',
  description: 'Content protection of upload sessions that do not choose one.',
})

const defaultResolutions = Type.Array(Resolution, { minItems: 1, maxItems: 6, uniqueItems: true })
const DEFAULT_RESOLUTIONS =
  'Resolutions of upload sessions that do not choose any; null if every upload session must choose.'

const trashDays = Type.Integer({
  minimum: 0,
  maximum: 365,
  description:
    'Days after which deleted assets and folders are purged; 0 purges at once. Applies to later deletions: what is in the trash keeps its `purge_at`.',
})

const abandonedDays = Type.Integer({
  minimum: 0,
  maximum: 365,
  description: 'Days after which the asset of an upload session that ended without a file is deleted.',
})

const versionsKept = Type.Integer({
  minimum: 1,
  maximum: 100,
  description:
    'File versions that an asset keeps, including the active one. Older ones are deleted when another version becomes active.',
})

const embedOrigins = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: EMBED_ORIGINS_MAX,
  description:
    'Origins of the sites that may embed the player, such as `https://www.example.com` or `https://*.example.com`; empty for all sites.',
  examples: [['https://www.example.com']],
})

export const Organization = Type.Object(
  {
    id: Type.String({ description: 'Organization identifier, as in the path of every request.', examples: ['acme12'] }),
    name: Type.String(),
    created_at: timestampField,
    default_content_protection_type: defaultProtection,
    default_resolutions: nullable(Type.Array(Resolution), DEFAULT_RESOLUTIONS),
    trash_days: trashDays,
    abandoned_days: abandonedDays,
    versions_kept: versionsKept,
    allowed_embed_origins: embedOrigins,
  },
  { title: 'Organization' },
)
export type Organization = Type.Static<typeof Organization>

const shared = {
  tag: 'Organization',
  idempotent: false,
  isOrganizationWide: true,
  params: noParams,
  query: noQuery,
} as const

export const readOrganization = {
  ...shared,
  id: 'readOrganization',
  method: 'GET',
  path: '/organization/',
  summary: 'Retrieve the organization',
  description: 'Returns the organization of the token with its settings.',
  scopes: ['organization:read'],
  body: undefined,
  success: { status: 200, body: Organization, hasEntityTag: true },
  errors: [],
} as const satisfies Operation

export const updateOrganization = {
  ...shared,
  id: 'updateOrganization',
  method: 'PATCH',
  path: '/organization/',
  summary: 'Update the organization',
  description:
    'Changes the given settings and keeps the others. With the `ETag` of the organization in `If-Match`, the request is refused if a setting has changed since.',
  scopes: ['organization:write'],
  headers: ifMatch,
  body: changesOf(
    {
      name: titleField,
      default_content_protection_type: defaultProtection,
      default_resolutions: nullable(defaultResolutions, DEFAULT_RESOLUTIONS),
      trash_days: trashDays,
      abandoned_days: abandonedDays,
      versions_kept: versionsKept,
      allowed_embed_origins: embedOrigins,
    },
    { default_resolutions: ['360p', '720p'], trash_days: 14 },
  ),
  success: { status: 200, body: Organization, hasEntityTag: true },
  errors: ['changed_meanwhile', 'invalid_title', 'drm_not_configured'],
} as const satisfies Operation

export const operations = [readOrganization, updateOrganization] as const
