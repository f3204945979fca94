import type { OrganizationId } from '../../kernel/ids.ts'
import { about } from '../events/events.ts'
import type { ChainEnd } from './audit.rules.ts'

export const headPublished = (organizationId: OrganizationId, { number, hash }: ChainEnd) =>
  about(organizationId, { type: 'audit.head_published', data: { number, hash } })
