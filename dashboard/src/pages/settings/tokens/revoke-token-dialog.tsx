import { useLingui } from '@lingui/react/macro'
import type { Token } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { CheckField } from '../../../ui/forms/check-field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import styles from '../parts/parts.module.css'
import { useChange } from '../parts/use-change.ts'

/** Revokes a token, and optionally the access that was granted with it. */
export function RevokeTokenDialog({ token, onClose }: { readonly token: Token; readonly onClose: () => void }) {
  const { t } = useLingui()
  const { client } = useOrganization()
  const { id, name } = token
  const revoke = useChange({
    run: (descendants: boolean) => client.tokens.revoke(id, descendants ? { descendants: true } : {}),
    refreshes: ['tokens', 'members', 'invitations', 'signing-keys', 'webhooks'],
    doneText: t`The token “${name}” was revoked.`,
    isInDialog: true,
    onDone: onClose,
  })
  return (
    <FormDialog
      title={t`Revoke “${name}”?`}
      submitLabel={t`Revoke`}
      isDanger
      isBusy={revoke.isPending}
      error={revoke.error}
      onSubmit={(values) => revoke.mutate(values.get('descendants') === 'on')}
      onClose={onClose}
    >
      <p
        className={styles.text}
      >{t`Programs that use the token are refused within two seconds. This cannot be undone.`}</p>
      <CheckField
        name="descendants"
        label={t`Also revoke the access that was granted with it`}
        hint={t`Revokes the API tokens and shared links, removes the members who were invited, deletes the signing keys and disables the webhooks.`}
      />
    </FormDialog>
  )
}
