import { organization as contract } from '@reelkeep/contract'
import type { OrganizationId } from '../../kernel/ids.ts'
import { preconditionOf } from '../../platform/http/responses/entity-tag.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { changeSettings, readSettings, versionOf } from './organizations.ts'
import { organizationWire } from './organizations.wire.ts'

type OrganizationRoutes = {
  /** Whether the service can protect videos with DRM. */
  readonly hasDrm: boolean
  /** Drops the cached tokens of the organization: they contain whether it has default resolutions. */
  readonly evict: (id: OrganizationId) => void
}

export function registerOrganizationRoutes(api: Api, { hasDrm, evict }: OrganizationRoutes): void {
  route(api, contract.readOrganization, async ({ db, setVersion }) => {
    const organization = await readSettings(db)
    setVersion(versionOf(organization))
    return organizationWire(organization)
  })

  route(api, contract.updateOrganization, async ({ db, headers, body, setVersion, afterCommit }) => {
    const change = {
      name: body.name,
      contentProtection: body.default_content_protection_type,
      defaultResolutions: body.default_resolutions,
      trashDays: body.trash_days,
      abandonedDays: body.abandoned_days,
      versionsKept: body.versions_kept,
      embedOrigins: body.allowed_embed_origins,
    }
    const changed = await changeSettings(db, { change, hasDrm, assertVersion: preconditionOf(headers) })
    setVersion(versionOf(changed))
    afterCommit(() => evict(db.organizationId))
    return organizationWire(changed)
  })
}
