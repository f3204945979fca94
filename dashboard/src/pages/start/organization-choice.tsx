import { useLingui } from '@lingui/react/macro'
import type { Membership } from '../../api/account.ts'
import { useRoleText } from '../../app/role-text.ts'
import { Initial } from '../../ui/initial.tsx'
import styles from './start.module.css'

type Props = {
  readonly memberships: readonly Membership[]
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
}

export function OrganizationChoice({ memberships, chosen, onChoose }: Props) {
  const { t } = useLingui()
  const roleText = useRoleText()
  return (
    <fieldset className={styles.choice}>
      <legend>{t`Choose an organization`}</legend>
      {memberships.map(({ organization_id: id, organization_name: name, role }) => (
        <label key={id} className={styles.option}>
          <input type="radio" name="organization" checked={id === chosen} onChange={() => onChoose(id)} />
          <Initial name={name} />
          <span className={styles.optionText}>
            <strong>{name}</strong>
            <span>{roleText(role).name}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
