import { type assets, organization as contract } from '@reelkeep/contract'
import { refused, refusedForViolations, type Violation } from '../../kernel/errors.ts'
import { isOrganizationId, type OrganizationId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import { cleanTitle } from '../../kernel/title.ts'

export type Organization = {
  readonly id: OrganizationId
  readonly name: string
  /** Whether videos without content protection play without a playback token. */
  readonly isOpen: boolean
  readonly createdAt: Timestamp
}

/** Throws unless the text is a valid organization id. */
export function parseOrganizationId(text: string): OrganizationId {
  if (isOrganizationId(text)) return text
  throw refused('invalid_request', 'An organization id must be 6 to 12 characters from a-z and 0-9.', 'id')
}

/** The settings that an organization changes itself. */
export type Settings = {
  readonly name: string
  /** For upload sessions that choose none. */
  readonly contentProtection: assets.ContentProtection
  /** For upload sessions that choose none; null if every session must choose. */
  readonly defaultResolutions: readonly assets.Resolution[] | null
  /** Days that deleted assets and folders stay in the trash; 0 if they are purged at once. */
  readonly trashDays: number
  /** Days until the asset of an upload without a file is deleted. */
  readonly abandonedDays: number
  readonly versionsKept: number
  /** Origins of the pages that may embed the player; empty for all. */
  readonly embedOrigins: readonly string[]
}

export type OrganizationWithSettings = Settings & Pick<Organization, 'id' | 'createdAt'>

/** The requested change; undefined for settings to keep. */
export type SettingsChange = { readonly [Name in keyof Settings]?: Settings[Name] | undefined }

/** The settings after the change. */
export function changedSettings({ id, createdAt, ...before }: OrganizationWithSettings, change: SettingsChange) {
  const { name, embedOrigins } = change
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  return {
    ...before,
    ...given,
    ...(name !== undefined && { name: cleanTitle(name, 'name') }),
    ...(embedOrigins && { embedOrigins: cleanOrigins(embedOrigins) }),
  } satisfies Settings
}

/** The version of an organization for its ETag. */
export const versionOf = ({ id, createdAt, ...settings }: OrganizationWithSettings) => settings

export const isSameSettings = (one: Settings, other: Settings) => JSON.stringify(one) === JSON.stringify(other)

const { EMBED_ORIGINS_MAX } = contract
const ORIGIN_LENGTH_MAX = 255

/** Accepted origins, such as "https://www.example.com" or "https://*.example.com:8443". */
const originForm = /^https?:\/\/(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/

/** Validates and deduplicates origins. An empty list allows any page to embed the player. */
export function cleanOrigins(given: readonly string[]): string[] {
  const origins = given.map((origin) => origin.trim().toLowerCase())
  const violations = origins.flatMap((origin, index): Violation[] =>
    origin.length <= ORIGIN_LENGTH_MAX && originForm.test(origin) ? [] : [invalidOrigin(origin, index)],
  )
  const [first, ...others] = violations
  if (first) throw refusedForViolations([first, ...others])
  const unique = [...new Set(origins)]
  if (unique.length <= EMBED_ORIGINS_MAX) return unique
  const detail = `At most ${EMBED_ORIGINS_MAX} origins are allowed (got ${unique.length}).`
  throw refused('invalid_request', detail, FIELD)
}

const FIELD = 'allowed_embed_origins'

const invalidOrigin = (origin: string, index: number): Violation => ({
  code: 'invalid_request',
  field: `${FIELD}[${index}]`,
  detail: `${origin} is not a valid origin. Examples: https://www.example.com, https://*.example.com.`,
})

export const drmNotConfigured = () =>
  refused(
    'drm_not_configured',
    'DRM is not configured on this service. Choose `aes` or `disable`, or ask the operator to set DRM_PROVIDER.',
    'default_content_protection_type',
  )
