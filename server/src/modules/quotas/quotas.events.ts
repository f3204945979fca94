import type { OrganizationId } from '../../kernel/ids.ts'
import { about, type NewEvent } from '../events/events.ts'
import type { ReachedLevel } from './quotas.rules.ts'

export const quotaReached = (id: OrganizationId, { level, ...quota }: ReachedLevel): NewEvent =>
  about(id, { type: level === 100 ? 'quota.exhausted' : 'quota.warning', data: quota })
