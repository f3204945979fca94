import { useLingui } from '@lingui/react/macro'
import type { Scope } from '../../../app/organization/scopes.ts'

type Group = { readonly title: string; readonly scopes: readonly Scope[] }

/** The meaning of each scope in plain words. */
export function useScopeText(): (scope: string) => string {
  const { t } = useLingui()
  return (scope) => {
    const texts: Record<Scope, string> = {
      '*': t`Everything, including permissions that later versions add`,
      'assets:read': t`See videos and their details`,
      'assets:write': t`Upload, change and delete videos`,
      'uploads:write': t`Upload videos`,
      'source:read': t`Download the original files`,
      'holds:write': t`Set and lift legal holds`,
      'folders:read': t`See folders`,
      'folders:create': t`Create folders`,
      'folders:write': t`Create, change and delete folders`,
      'playback:read': t`Play videos and see who may watch them`,
      'playback:write': t`Share videos and end shared links`,
      'keys:write': t`Create and delete signing keys`,
      'members:read': t`See members, invitations and roles`,
      'members:write': t`Invite, change and remove members`,
      'tokens:read': t`See API tokens and signing keys`,
      'tokens:write': t`Create and revoke API tokens`,
      'audit:read': t`Read the audit log`,
      'events:read': t`See events and live progress`,
      'webhooks:read': t`See webhooks and their deliveries`,
      'webhooks:write': t`Create, change and delete webhooks`,
      'organization:read': t`See the organization settings and usage`,
      'organization:write': t`Change the organization settings`,
    }
    return texts[scope as Scope] ?? scope
  }
}

/** The scopes in groups, without `*`. */
export function useScopeGroups(): readonly Group[] {
  const { t } = useLingui()
  return [
    { title: t`Videos`, scopes: ['assets:read', 'assets:write', 'uploads:write', 'source:read', 'holds:write'] },
    { title: t`Folders`, scopes: ['folders:read', 'folders:create', 'folders:write'] },
    { title: t`Playback and sharing`, scopes: ['playback:read', 'playback:write', 'keys:write'] },
    {
      title: t`People and access`,
      scopes: ['members:read', 'members:write', 'tokens:read', 'tokens:write', 'audit:read'],
    },
    { title: t`Integrations`, scopes: ['events:read', 'webhooks:read', 'webhooks:write'] },
    { title: t`Organization`, scopes: ['organization:read', 'organization:write'] },
  ]
}
