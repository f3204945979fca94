import { useLingui } from '@lingui/react/macro'
import type { Member } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import styles from '../parts/parts.module.css'
import { SecretDialog } from '../parts/secret-dialog.tsx'
import { useChange } from '../parts/use-change.ts'

/** Creates a one-time link for a member who can no longer sign in. */
export function RecoveryDialog({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const { t } = useLingui()
  const { client } = useOrganization()
  const { id, name } = member
  const create = useChange({ run: () => client.members.createRecoveryLink(id), refreshes: [], isInDialog: true })
  if (create.data) {
    return (
      <SecretDialog
        title={t`Recovery link for ${name}`}
        label={t`Recovery link`}
        secret={create.data.link}
        onClose={onClose}
      >
        {t`Send this link to the member. It works once, for 24 hours.`}
      </SecretDialog>
    )
  }
  return (
    <FormDialog
      title={t`Recovery link for ${name}`}
      submitLabel={t`Create link`}
      isBusy={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <p className={styles.text}>
        {t`With the link, the member sets a new password or passkey. Make sure that you give it to the right person. An earlier link stops working.`}
      </p>
    </FormDialog>
  )
}
