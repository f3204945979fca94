import type { Membership } from '../../api/account.ts'

const STORAGE_KEY = 'reelkeep.organization'

/** The organization that was chosen last in this browser, otherwise the first one. */
export function chosenOrganization(memberships: readonly Membership[]): Membership | undefined {
  const chosen = localStorage.getItem(STORAGE_KEY)
  return memberships.find(({ organization_id: id }) => id === chosen) ?? memberships[0]
}

export const chooseOrganization = (id: string) => localStorage.setItem(STORAGE_KEY, id)
