import { createContext, type ReactNode, use, useMemo } from 'react'
import type { Membership } from '../../api/account.ts'
import { clientOf } from '../../api/client.ts'
import type { Organization } from './organization-type.ts'
import { mayUse } from './scopes.ts'

const OrganizationContext = createContext<Organization | undefined>(undefined)

type Props = { readonly membership: Membership; readonly children: ReactNode }

export function OrganizationProvider({ membership, children }: Props) {
  const organization = useMemo<Organization>(
    () => ({
      id: membership.organization_id,
      name: membership.organization_name,
      membership,
      client: clientOf(membership.organization_id),
      can: (scope) => mayUse(membership.scopes, scope),
    }),
    [membership],
  )
  return <OrganizationContext value={organization}>{children}</OrganizationContext>
}

/** The organization of the page. Undefined for people without a membership. */
export const useMaybeOrganization = () => use(OrganizationContext)

export function useOrganization(): Organization {
  const organization = use(OrganizationContext)
  if (!organization) throw new Error('This component needs an organization.')
  return organization
}
