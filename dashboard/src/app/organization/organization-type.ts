import type { Reelkeep } from 'reelkeep'
import type { Membership } from '../../api/account.ts'
import type { Scope } from './scopes.ts'

/** The organization of the current page, and the rights of the user in it. */
export type Organization = {
  readonly id: string
  readonly name: string
  readonly membership: Membership
  readonly client: Reelkeep
  /** Whether the user's role has this scope. Controls that need a missing scope are not shown. */
  readonly can: (scope: Scope) => boolean
}
