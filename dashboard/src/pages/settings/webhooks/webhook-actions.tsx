import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import type { Webhook } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { Button } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import { LazyConfirmDialog } from '../../../ui/lazy-confirm-dialog.tsx'
import { MenuItem, MenuLine } from '../../../ui/menu.tsx'
import { MoreMenu } from '../../../ui/more-menu.tsx'
import styles from '../parts/parts.module.css'
import { useChange } from '../parts/use-change.ts'
import { RotateSecretDialog } from './rotate-secret-dialog.tsx'
import { WebhookDialog } from './webhook-dialog.tsx'

/** Test, change, enable, replace the secret, delete: what the role of the user permits. */
export function WebhookActions({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useLingui()
  const { client, can } = useOrganization()
  const [action, setAction] = useState<'change' | 'rotate' | 'delete'>()
  const { id, enabled } = webhook
  const test = useChange({
    run: () => client.webhooks.test(id),
    refreshes: ['deliveries'],
    doneText: t`A test event is sent. The result is in the list below.`,
  })
  const enable = useChange({
    run: () => client.webhooks.update(id, { enabled: !enabled }),
    refreshes: ['webhooks', 'deliveries'],
    doneText: enabled ? t`The webhook is off.` : t`The webhook is active.`,
  })
  if (!can('webhooks:write')) return null
  const close = () => setAction(undefined)
  return (
    <div className={styles.rowActions}>
      {enabled && (
        <Button isBusy={test.isPending} onClick={() => test.mutate()}>
          {t`Send a test event`}
        </Button>
      )}
      {can('events:read') && (
        <Button isBusy={enable.isPending} onClick={() => enable.mutate()}>
          {enabled ? t`Turn off` : t`Turn on`}
        </Button>
      )}
      <MoreMenu label={t`More actions`}>
        {can('events:read') && (
          <>
            <MenuItem icon={icons.pencil} onAction={() => setAction('change')}>{t`Edit`}</MenuItem>
            <MenuItem icon={icons.refresh} onAction={() => setAction('rotate')}>{t`Replace the secret`}</MenuItem>
            <MenuLine />
          </>
        )}
        <MenuItem icon={icons.trash} isDanger onAction={() => setAction('delete')}>{t`Delete`}</MenuItem>
      </MoreMenu>
      {action === 'change' && <WebhookDialog webhook={webhook} onClose={close} />}
      {action === 'rotate' && <RotateSecretDialog webhook={webhook} onClose={close} />}
      {action === 'delete' && <DeleteDialog webhook={webhook} onClose={close} />}
    </div>
  )
}

function DeleteDialog({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const { t } = useLingui()
  const { id: organization, client } = useOrganization()
  const navigate = useNavigate()
  const remove = useChange({
    run: () => client.webhooks.delete(webhook.id),
    refreshes: [],
    doneText: t`The webhook was deleted.`,
    onDone: () => void navigate({ to: '/o/$organization/settings/webhooks', params: { organization } }),
  })
  return (
    <Suspense>
      <LazyConfirmDialog
        title={t`Delete this webhook?`}
        confirmLabel={t`Delete webhook`}
        onClose={onClose}
        onConfirm={() => remove.mutate()}
      >
        {t`Its secret and its list of deliveries are deleted. Events are no longer sent to this URL.`}
      </LazyConfirmDialog>
    </Suspense>
  )
}
