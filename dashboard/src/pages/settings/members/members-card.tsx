import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useDeferredValue, useState } from 'react'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { PagedList } from '../../../app/paging/paged-list.tsx'
import { usePages } from '../../../app/paging/use-pages.ts'
import { useRoleText } from '../../../app/texts/role-text.ts'
import { Card } from '../../../ui/card.tsx'
import { EmptyList } from '../../../ui/data/empty-list.tsx'
import { icons } from '../../../ui/icons.tsx'
import styles from '../parts/parts.module.css'
import { useRoles } from '../parts/role-access.ts'
import { MemberRow } from './member-row.tsx'

/** The members, found by name, email address or role. */
export function MembersCard() {
  const { t } = useLingui()
  const { client } = useOrganization()
  const [text, setText] = useState('')
  const [role, setRole] = useState('')
  const term = useDeferredValue(text.trim())
  const filter = { ...(term && { q: term }), ...(role && { role }) }
  const pages = usePages(['members', filter], (cursor, options) =>
    client.members.list({ ...filter, ...cursor }, options),
  )
  const { count } = pages
  return (
    <Card title={count === undefined ? t`Members` : plural(count, { one: '# member', other: '# members' })}>
      <div className={styles.filters}>
        <div className={styles.search}>
          {icons.search}
          <input
            type="search"
            aria-label={t`Search members`}
            placeholder={t`Name or email address`}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </div>
        <RoleFilter value={role} onChange={setRole} />
      </div>
      <PagedList
        label={t`Members`}
        pages={pages}
        row={(member) => <MemberRow key={member.id} member={member} />}
        empty={
          <EmptyList icon={icons.people} title={t`No members found`}>
            {t`Change the search or the role.`}
          </EmptyList>
        }
      />
    </Card>
  )
}

function RoleFilter({ value, onChange }: { readonly value: string; readonly onChange: (role: string) => void }) {
  const { t } = useLingui()
  const roleText = useRoleText()
  const { data: roles = [] } = useRoles()
  return (
    <select
      className={styles.filter}
      aria-label={t`Role`}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">{t`All roles`}</option>
      {roles.map((role) => (
        <option key={role.id} value={role.id}>
          {roleText(role).name}
        </option>
      ))}
    </select>
  )
}
