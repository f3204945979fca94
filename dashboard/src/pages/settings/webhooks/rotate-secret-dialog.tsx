import { useLingui } from '@lingui/react/macro'
import type { Webhook } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { OverlapField, overlapIn } from '../parts/overlap-field.tsx'
import styles from '../parts/parts.module.css'
import { SecretDialog } from '../parts/secret-dialog.tsx'
import { useChange } from '../parts/use-change.ts'

/** Replaces the signing secret and shows the new one once. */
export function RotateSecretDialog({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const { t } = useLingui()
  const { client } = useOrganization()
  const rotate = useChange({
    run: (overlapSeconds: number) => client.webhooks.rotateSecret(webhook.id, { overlap_seconds: overlapSeconds }),
    refreshes: ['webhooks'],
    isInDialog: true,
  })
  if (rotate.data) {
    return (
      <SecretDialog
        title={t`The secret was replaced`}
        label={t`Signing secret`}
        secret={rotate.data.secret}
        onClose={onClose}
      >
        {t`Requests are signed with both secrets until the old one expires.`}
      </SecretDialog>
    )
  }
  return (
    <FormDialog
      title={t`Replace the secret?`}
      submitLabel={t`Replace`}
      isBusy={rotate.isPending}
      error={rotate.error}
      onSubmit={(values) => rotate.mutate(overlapIn(values))}
      onClose={onClose}
    >
      <p className={styles.text}>{t`Your server needs the new secret to verify requests.`}</p>
      <OverlapField label={t`Old secret valid for`} initial="86400" />
    </FormDialog>
  )
}
