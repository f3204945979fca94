import { about, type NewEvent } from '../events/events.ts'
import type { OrganizationWithSettings } from './organizations.rules.ts'
import { organizationWire } from './organizations.wire.ts'

export const organizationUpdated = (organization: OrganizationWithSettings): NewEvent =>
  about(organization.id, { type: 'organization.updated', data: organizationWire(organization) })
