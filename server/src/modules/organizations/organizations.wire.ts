import type { organization as contract } from '@reelkeep/contract'
import type { OrganizationWithSettings } from './organizations.rules.ts'

export const organizationWire = (organization: OrganizationWithSettings): contract.Organization => ({
  id: organization.id,
  name: organization.name,
  created_at: organization.createdAt,
  default_content_protection_type: organization.contentProtection,
  default_resolutions: organization.defaultResolutions && [...organization.defaultResolutions],
  trash_days: organization.trashDays,
  abandoned_days: organization.abandonedDays,
  versions_kept: organization.versionsKept,
  allowed_embed_origins: [...organization.embedOrigins],
})
