import { useLingui } from '@lingui/react/macro'
import type { Membership } from '../../api/account.ts'
import { useRoleText } from '../../app/texts/role-text.ts'
import { Card } from '../../ui/card.tsx'
import { Initial } from '../../ui/initial.tsx'
import { Row, RowList } from '../../ui/row-list.tsx'
import styles from './account.module.css'

export function MembershipsCard({ memberships }: { readonly memberships: readonly Membership[] }) {
  const { t } = useLingui()
  const roleText = useRoleText()
  return (
    <Card title={t`Organizations`} description={t`An owner or manager of an organization can change your role.`}>
      {memberships.length === 0 ? (
        <p className={styles.empty}>{t`You are not a member of an organization.`}</p>
      ) : (
        <RowList label={t`Organizations`}>
          {memberships.map((membership) => {
            const { organization_name: name } = membership
            const role = roleText(membership.role).name
            const details = membership.folder_uuid === null ? role : t`${role}, in one folder`
            return (
              <Row key={membership.organization_id} icon={<Initial name={name} />} title={name} details={details} />
            )
          })}
        </RowList>
      )}
    </Card>
  )
}
