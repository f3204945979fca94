import { useLingui } from '@lingui/react/macro'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { addPasskey, type Passkey, readNewPasskeyOptions, removePasskey } from '../../api/account.ts'
import { useConfirmed } from '../../app/confirmed-actions.tsx'
import { canUsePasskeys, createPasskey } from '../../app/entrance/passkeys.ts'
import { passkeysQuery, queryClient } from '../../app/queries.ts'
import { useDeviceText } from '../../app/texts/device-text.ts'
import { useProblemText } from '../../app/texts/problem-text.ts'
import { dateText, relativeTime } from '../../app/texts/times.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { icons } from '../../ui/icons.tsx'
import { LazyConfirmDialog } from '../../ui/lazy-confirm-dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Row, RowList } from '../../ui/row-list.tsx'
import styles from './account.module.css'

export function PasskeysCard() {
  const { t } = useLingui()
  const problemText = useProblemText()
  const deviceText = useDeviceText()
  const confirmed = useConfirmed()
  const { data: passkeys } = useSuspenseQuery(passkeysQuery)
  const [chosen, setChosen] = useState<Passkey>()
  const refresh = () => queryClient.invalidateQueries(passkeysQuery)
  const add = useMutation({
    mutationFn: () =>
      confirmed(async () => {
        const response = await createPasskey(await readNewPasskeyOptions())
        await addPasskey({ name: deviceText(navigator.userAgent), response })
      }),
    onSuccess: refresh,
  })
  const remove = useMutation({ mutationFn: (id: string) => confirmed(() => removePasskey(id)), onSuccess: refresh })
  const problem = add.error ?? remove.error
  const addButton = (
    <Button icon={icons.plus} isBusy={add.isPending} onClick={() => add.mutate()}>
      {t`Add a passkey`}
    </Button>
  )
  return (
    <Card
      title={t`Passkeys`}
      description={t`Sign in with your fingerprint, face or PIN. Add one for each of your devices.`}
      action={canUsePasskeys() && addButton}
    >
      {problem && <Notice kind="error">{problemText(problem)}</Notice>}
      {add.isSuccess && !problem && <Notice kind="success">{t`The passkey was added.`}</Notice>}
      {passkeys.length === 0 ? (
        <p className={styles.empty}>{t`You have no passkey yet.`}</p>
      ) : (
        <RowList label={t`Passkeys`}>
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} onRemove={() => setChosen(passkey)} />
          ))}
        </RowList>
      )}
      {chosen && (
        <Suspense>
          <LazyConfirmDialog
            title={t`Remove this passkey?`}
            confirmLabel={t`Remove passkey`}
            onClose={() => setChosen(undefined)}
            onConfirm={() => {
              setChosen(undefined)
              remove.mutate(chosen.id)
            }}
          >
            {t`You can no longer sign in with “${chosen.name}”.`}
          </LazyConfirmDialog>
        </Suspense>
      )}
    </Card>
  )
}

function PasskeyRow({ passkey, onRemove }: { readonly passkey: Passkey; readonly onRemove: () => void }) {
  const { t, i18n } = useLingui()
  const { name, created_at: createdAt, last_used_at: lastUsedAt } = passkey
  const created = dateText(createdAt, i18n.locale)
  const used = lastUsedAt === null ? undefined : relativeTime(lastUsedAt, i18n.locale, Date.now())
  return (
    <Row
      icon={icons.passkey}
      title={name}
      details={used === undefined ? t`Added ${created}, not used yet` : t`Added ${created}, last used ${used}`}
      action={<IconButton label={t`Remove ${name}`} icon={icons.trash} onClick={onRemove} />}
    />
  )
}
