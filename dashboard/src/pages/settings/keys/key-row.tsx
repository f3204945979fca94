import { useLingui } from '@lingui/react/macro'
import { Suspense, useState } from 'react'
import type { SigningKey } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { dateText } from '../../../app/texts/times.ts'
import { IconButton } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/data/copy-button.tsx'
import { icons } from '../../../ui/icons.tsx'
import { LazyConfirmDialog } from '../../../ui/lazy-confirm-dialog.tsx'
import { Row } from '../../../ui/row-list.tsx'
import styles from '../parts/parts.module.css'
import { useChange } from '../parts/use-change.ts'

export function KeyRow({ signingKey }: { readonly signingKey: SigningKey }) {
  const { t, i18n } = useLingui()
  const { client, can } = useOrganization()
  const [isAsking, setIsAsking] = useState(false)
  const { id, name, public_key: publicKey, created_at: createdAt, expires_at: expiresAt, created_by: by } = signingKey
  const remove = useChange({
    run: () => client.signingKeys.delete(id),
    refreshes: ['signing-keys'],
    doneText: t`The key “${name}” was deleted.`,
  })
  const created = dateText(createdAt, i18n.locale)
  const expires = expiresAt === null ? undefined : dateText(expiresAt, i18n.locale)
  const creator = by.name
  return (
    <>
      <Row
        icon={icons.key}
        title={name}
        details={
          <>
            {creator === null ? t`created ${created}` : t`created ${created} by ${creator}`}
            {' · '}
            {expires === undefined ? t`does not expire` : t`expires ${expires}`}
            <br />
            <span className={styles.mono}>{id}</span>
          </>
        }
        action={
          <div className={styles.rowActions}>
            <CopyButton text={publicKey} label={t`Copy the public key of ${name}`} />
            {can('keys:write') && (
              <IconButton label={t`Delete ${name}`} icon={icons.trash} onClick={() => setIsAsking(true)} />
            )}
          </div>
        }
      />
      {isAsking && (
        <Suspense>
          <LazyConfirmDialog
            title={t`Delete “${name}”?`}
            confirmLabel={t`Delete key`}
            onClose={() => setIsAsking(false)}
            onConfirm={() => {
              setIsAsking(false)
              remove.mutate()
            }}
          >
            {t`All playback tokens that were signed with it stop working within five seconds.`}
          </LazyConfirmDialog>
        </Suspense>
      )}
    </>
  )
}
