import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { CreateRoleBody, Role } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import styles from '../parts/parts.module.css'
import { ScopePicker } from '../parts/scope-picker.tsx'
import { useChange } from '../parts/use-change.ts'

type RoleScopes = CreateRoleBody['scopes']

/** Creates a custom role, or changes the given one. */
export function RoleDialog({ role, onClose }: { readonly role?: Role; readonly onClose: () => void }) {
  const { t } = useLingui()
  const { client } = useOrganization()
  const [scopes, setScopes] = useState<Role['scopes']>(role?.scopes ?? ['assets:read', 'folders:read'])
  const [isMissingScopes, setIsMissingScopes] = useState(false)
  const save = useChange({
    run: (body: CreateRoleBody) => (role ? client.roles.update(role.id, body) : client.roles.create(body)),
    refreshes: ['roles', 'members'],
    doneText: role ? t`The role was changed.` : t`The role was created.`,
    isInDialog: true,
    onDone: onClose,
  })
  const submit = (values: FormData) => {
    if (scopes.length === 0) return setIsMissingScopes(true)
    save.mutate({
      name: String(values.get('name')).trim(),
      description: String(values.get('description')).trim(),
      scopes: scopes as RoleScopes,
    })
  }
  const name = role?.name
  return (
    <FormDialog
      title={name === undefined ? t`Create a role` : t`Edit “${name}”`}
      submitLabel={role ? t`Save` : t`Create role`}
      isBusy={save.isPending}
      error={save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label={t`Name`} name="name" defaultValue={name} maxLength={255} required autoFocus />
      <TextField
        label={t`Description (optional)`}
        name="description"
        defaultValue={role?.description}
        maxLength={255}
      />
      <div className={styles.form}>
        <p className={styles.fieldLabel}>{t`Permissions of this role`}</p>
        <ScopePicker
          label={t`Permissions of this role`}
          chosen={scopes}
          onChange={(chosen) => setScopes([...chosen])}
        />
        <p role="alert" className={styles.error}>
          {isMissingScopes && scopes.length === 0 && t`Choose at least one.`}
        </p>
      </div>
      {role && <p className={styles.hint}>{t`The change applies to all members with this role within a second.`}</p>}
    </FormDialog>
  )
}
