import { useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import { useOrganization } from '../app/organization/organization.tsx'
import { meQuery } from '../app/queries.ts'
import { icons } from '../ui/icons.tsx'
import { Menu, MenuItem, MenuSection } from '../ui/menu.tsx'
import styles from './organization-menu.module.css'

/** The name of the organization, and a menu of the user's other organizations. */
export function OrganizationMenu() {
  const { t } = useLingui()
  const { id, name } = useOrganization()
  const { data: me } = useSuspenseQuery(meQuery)
  const navigate = useNavigate()
  if (me.memberships.length === 1) return <span className={styles.name}>{name}</span>
  const open = (organization: string) =>
    void navigate({ to: '/o/$organization/library', params: { organization }, search: {} })
  const trigger = (
    <Button className={styles.button ?? ''} aria-label={t`Organization: ${name}`}>
      <span>{name}</span>
      {icons.expand}
    </Button>
  )
  return (
    <Menu label={t`Organizations`} trigger={trigger}>
      <MenuSection title={t`Organizations`} selection={{ selected: id, onSelect: open }}>
        {me.memberships.map((membership) => (
          <MenuItem key={membership.organization_id} id={membership.organization_id}>
            {membership.organization_name}
          </MenuItem>
        ))}
      </MenuSection>
    </Menu>
  )
}
