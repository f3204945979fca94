/** The sections of the settings, and which of them a member may open. */
import type { Membership } from '../../api/account.ts'
import { mayUse, type Scope } from '../organization/scopes.ts'

type Rights = Pick<Membership, 'scopes' | 'folder_uuid'>

type Section = {
  readonly id: string
  readonly path: string
  /** The scope with which the section can be read. */
  readonly scope: Scope
  /** The API refuses members who are limited to a folder. */
  readonly isOrganizationWide: boolean
}

const base = '/o/$organization/settings'

const settingsSections = [
  { id: 'members', path: `${base}/members`, scope: 'members:read', isOrganizationWide: true },
  { id: 'roles', path: `${base}/roles`, scope: 'members:read', isOrganizationWide: true },
  { id: 'organization', path: `${base}/organization`, scope: 'organization:read', isOrganizationWide: true },
  { id: 'usage', path: `${base}/usage`, scope: 'organization:read', isOrganizationWide: true },
  { id: 'audit', path: `${base}/audit`, scope: 'audit:read', isOrganizationWide: true },
  { id: 'tokens', path: `${base}/tokens`, scope: 'tokens:read', isOrganizationWide: false },
  { id: 'keys', path: `${base}/signing-keys`, scope: 'tokens:read', isOrganizationWide: true },
  { id: 'webhooks', path: `${base}/webhooks`, scope: 'webhooks:read', isOrganizationWide: true },
  { id: 'events', path: `${base}/events`, scope: 'events:read', isOrganizationWide: false },
] as const satisfies readonly Section[]

export type SettingsSection = (typeof settingsSections)[number]
export type SectionId = SettingsSection['id']

const maySee = ({ scope, isOrganizationWide }: SettingsSection, { scopes, folder_uuid: folder }: Rights) =>
  mayUse(scopes, scope) && (folder === null || !isOrganizationWide)

export const permittedSections = (rights: Rights) => settingsSections.filter((section) => maySee(section, rights))
