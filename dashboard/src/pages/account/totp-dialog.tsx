import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useRef } from 'react'
import { encode } from 'uqr'
import { enableTotp, type TotpProposal } from '../../api/account.ts'
import { useProblemText } from '../../app/texts/problem-text.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/forms/text-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import styles from './totp-dialog.module.css'

type Props = { readonly proposal: TotpProposal; readonly onDone: () => void; readonly onClose: () => void }

/** Shows the secret to the app, and asks for a first code as a proof that the app has it. */
export function TotpDialog({ proposal, onDone, onClose }: Props) {
  const { t } = useLingui()
  const problemText = useProblemText()
  const input = useRef<HTMLInputElement>(null)
  const enable = useMutation({
    mutationFn: (code: string) => enableTotp({ secret: proposal.secret, code }),
    onSuccess: onDone,
    onError: () => input.current?.select(),
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const code = input.current?.value.replaceAll(/\s/g, '') ?? ''
    if (code === '') input.current?.focus()
    else if (!enable.isPending) enable.mutate(code)
  }
  return (
    <Dialog title={t`Set up an authenticator app`} onClose={onClose}>
      <p className={styles.text}>{t`Scan the QR code with your app, then enter the code that it shows.`}</p>
      <QrCode text={proposal.uri} label={t`QR code for your authenticator app`} />
      <p className={styles.text}>
        {t`If you cannot scan it, enter this key:`} <code>{proposal.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
      </p>
      {enable.error && <Notice kind="error">{problemText(enable.error)}</Notice>}
      <form className={styles.form} onSubmit={submit} noValidate>
        <TextField
          ref={input}
          label={t`Code`}
          hint={t`6 digits`}
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={10}
          required
        />
        <Button type="submit" look="primary" size="large" isBusy={enable.isPending}>
          {t`Set up`}
        </Button>
      </form>
    </Dialog>
  )
}

function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { border: 2 })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg className={styles.code} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={path} />
    </svg>
  )
}
