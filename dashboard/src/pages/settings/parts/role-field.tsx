import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useRoleText } from '../../../app/texts/role-text.ts'
import { SelectField } from '../../../ui/forms/select-field.tsx'
import { useGrantableRoles } from './role-access.ts'

/** A choice of the roles that the user may give to others, with what the chosen one can do. */
export function RoleField({ initial }: { readonly initial: string }) {
  const { t } = useLingui()
  const roleText = useRoleText()
  const roles = useGrantableRoles()
  const [chosen, setChosen] = useState(initial)
  const role = roles.find(({ id }) => id === chosen)
  return (
    <SelectField
      label={t`Role`}
      name="role"
      value={chosen}
      hint={role && (roleText(role).ability ?? role.description)}
      options={roles.map((one) => ({ value: one.id, label: roleText(one).name }))}
      onChange={({ target }) => setChosen(target.value)}
    />
  )
}
