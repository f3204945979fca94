import { useLingui } from '@lingui/react/macro'
import { useOrganization } from '../../../app/organization/organization.tsx'
import type { Scope } from '../../../app/organization/scopes.ts'
import { CheckField } from '../../../ui/forms/check-field.tsx'
import styles from './parts.module.css'
import { useScopeGroups, useScopeText } from './scope-text.ts'

type Props = {
  readonly label: string
  readonly chosen: readonly Scope[]
  readonly onChange: (scopes: readonly Scope[]) => void
  /** Offers `*`, if the user has it. */
  readonly canHaveAll?: boolean
}

/** A choice of scopes. Those that the user does not have cannot be given to others, so they are not offered. */
export function ScopePicker({ label, chosen, onChange, canHaveAll = false }: Props) {
  const { t } = useLingui()
  const { can } = useOrganization()
  const scopeText = useScopeText()
  const hasAll = chosen.includes('*')
  const toggle = (scope: Scope) =>
    onChange(chosen.includes(scope) ? chosen.filter((other) => other !== scope) : [...chosen, scope])
  const groups = useScopeGroups()
    .map(({ title, scopes }) => ({ title, scopes: scopes.filter(can) }))
    .filter(({ scopes }) => scopes.length > 0)
  const checkbox = (scope: Scope) => (
    <CheckField
      key={scope}
      label={scopeText(scope)}
      checked={hasAll || chosen.includes(scope)}
      disabled={hasAll && scope !== '*'}
      onChange={() => toggle(scope)}
    />
  )
  return (
    <fieldset className={styles.scopes}>
      <legend className="visually-hidden">{label}</legend>
      {canHaveAll && can('*') && (
        <div>
          <h3>{t`Full access`}</h3>
          {checkbox('*')}
        </div>
      )}
      {groups.map(({ title, scopes }) => (
        <div key={title}>
          <h3>{title}</h3>
          {scopes.map(checkbox)}
        </div>
      ))}
    </fieldset>
  )
}
