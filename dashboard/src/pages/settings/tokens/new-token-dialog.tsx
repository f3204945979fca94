import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { CreateTokenBody } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import type { Scope } from '../../../app/organization/scopes.ts'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { ExpiryField, expiryIn } from '../parts/expiry-field.tsx'
import { FolderField } from '../parts/folder-field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import styles from '../parts/parts.module.css'
import { ScopePicker } from '../parts/scope-picker.tsx'
import { SecretDialog } from '../parts/secret-dialog.tsx'
import { useChange } from '../parts/use-change.ts'

/** Creates a token, then shows its secret once. */
export function NewTokenDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useLingui()
  const { client } = useOrganization()
  const [scopes, setScopes] = useState<readonly Scope[]>([])
  const [folder, setFolder] = useState<string>()
  const [isMissingScopes, setIsMissingScopes] = useState(false)
  const create = useChange({
    run: (body: CreateTokenBody) => client.tokens.create(body),
    refreshes: ['tokens'],
    isInDialog: true,
  })
  if (create.data) {
    const { name, token } = create.data
    return (
      <SecretDialog title={t`The token “${name}” was created`} label={t`API token`} secret={token} onClose={onClose}>
        {t`Store it where your program reads it, for example in an environment variable.`}
      </SecretDialog>
    )
  }
  const submit = (values: FormData) => {
    if (scopes.length === 0) return setIsMissingScopes(true)
    create.mutate({
      name: String(values.get('name')).trim(),
      scopes: [...scopes],
      expires_at: expiryIn(values),
      ...(folder !== undefined && { folder_uuid: folder }),
    })
  }
  return (
    <FormDialog
      title={t`Create a token`}
      submitLabel={t`Create token`}
      isBusy={create.isPending}
      error={create.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t`Name`}
        hint={t`The application that uses the token, for example “Website”`}
        name="name"
        required
        autoFocus
      />
      <div className={styles.form}>
        <p className={styles.fieldLabel}>{t`Permissions of the token`}</p>
        <ScopePicker label={t`Permissions of the token`} chosen={scopes} onChange={setScopes} canHaveAll />
        <p role="alert" className={styles.error}>
          {isMissingScopes && scopes.length === 0 && t`Choose at least one.`}
        </p>
      </div>
      <ExpiryField />
      <FolderField
        hint={t`The token can then use only this folder and everything in it.`}
        onChange={(chosen) => setFolder(chosen?.uuid)}
      />
    </FormDialog>
  )
}
