import { useLingui } from '@lingui/react/macro'
import type { Token } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { OverlapField, overlapIn } from '../parts/overlap-field.tsx'
import styles from '../parts/parts.module.css'
import { SecretDialog } from '../parts/secret-dialog.tsx'
import { useChange } from '../parts/use-change.ts'

/** Replaces a token by a new one with the same name, scopes and folder. */
export function RotateTokenDialog({ token, onClose }: { readonly token: Token; readonly onClose: () => void }) {
  const { t } = useLingui()
  const { client } = useOrganization()
  const { id, name } = token
  const rotate = useChange({
    run: (overlapSeconds: number) => client.tokens.rotate(id, { overlap_seconds: overlapSeconds }),
    refreshes: ['tokens'],
    isInDialog: true,
  })
  if (rotate.data) {
    return (
      <SecretDialog
        title={t`The token “${name}” was replaced`}
        label={t`API token`}
        secret={rotate.data.token}
        onClose={onClose}
      >
        {t`Use the new token before the old one expires.`}
      </SecretDialog>
    )
  }
  return (
    <FormDialog
      title={t`Replace “${name}”?`}
      submitLabel={t`Replace`}
      isBusy={rotate.isPending}
      error={rotate.error}
      onSubmit={(values) => rotate.mutate(overlapIn(values))}
      onClose={onClose}
    >
      <p className={styles.text}>{t`Creates a new token with the same name and the same permissions.`}</p>
      <OverlapField label={t`Old token valid for`} initial="3600" />
    </FormDialog>
  )
}
