import { useLingui } from '@lingui/react/macro'
import type { CreateSigningKeyBody } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { ExpiryField, expiryIn } from '../parts/expiry-field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { SecretDialog } from '../parts/secret-dialog.tsx'
import { useChange } from '../parts/use-change.ts'

/** Creates a signing key, then shows the private key once. */
export function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useLingui()
  const { client } = useOrganization()
  const create = useChange({
    run: (body: CreateSigningKeyBody) => client.signingKeys.create(body),
    refreshes: ['signing-keys'],
    isInDialog: true,
  })
  if (create.data) {
    const { id, name, private_key: privateKey } = create.data
    return (
      <SecretDialog
        title={t`The key “${name}” was created`}
        label={t`Private key`}
        secret={privateKey}
        isLong
        onClose={onClose}
      >
        {t`Store it on the server that signs tokens. The ID of the key (kid) is ${id}.`}
      </SecretDialog>
    )
  }
  return (
    <FormDialog
      title={t`Create a key`}
      submitLabel={t`Create key`}
      isBusy={create.isPending}
      error={create.error}
      onSubmit={(values) => create.mutate({ name: String(values.get('name')).trim(), expires_at: expiryIn(values) })}
      onClose={onClose}
    >
      <TextField
        label={t`Name`}
        hint={t`The application that signs with the key, for example “Website”`}
        name="name"
        required
        autoFocus
      />
      <ExpiryField />
    </FormDialog>
  )
}
