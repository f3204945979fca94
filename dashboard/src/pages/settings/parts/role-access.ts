import { useQuery } from '@tanstack/react-query'
import type { Role } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import type { Organization } from '../../../app/organization/organization-type.ts'
import type { Scope } from '../../../app/organization/scopes.ts'

/** Whether the user has all these scopes: only then may they be given to, or taken from, someone else. */
export const hasAll = ({ can }: Organization, scopes: readonly Scope[]) => scopes.every(can)

/** The roles of the organization. */
export function useRoles() {
  const { id, client } = useOrganization()
  return useQuery({
    queryKey: ['o', id, 'roles'],
    queryFn: async ({ signal }) => (await client.roles.list({ signal })).results,
  })
}

/** The roles that the user may give to others. */
export function useGrantableRoles(): readonly Role[] {
  const organization = useOrganization()
  const { data = [] } = useRoles()
  return data.filter(({ scopes }) => hasAll(organization, scopes))
}
