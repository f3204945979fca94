import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useRef, useState } from 'react'
import type { CreateAccessTokenBody, NewAccessToken } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { queryClient } from '../../../app/queries.ts'
import { useProblemText } from '../../../app/texts/problem-text.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { SelectField } from '../../../ui/forms/select-field.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { useVideo } from '../video-context.tsx'
import { partKey } from '../video-data.ts'
import { hostsIn } from './embed-codes.ts'
import { LinkList } from './link-list.tsx'
import { NewLink } from './new-link.tsx'
import styles from './share.module.css'

const HOUR_SECONDS = 3600
const DAY_SECONDS = 86_400
const VIEWER_LENGTH_MAX = 128
const WATERMARK_LENGTH_MAX = 100

/** Creates links for viewers, and lists and revokes existing ones. */
export function ShareDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useLingui()
  const [created, setCreated] = useState<NewAccessToken>()
  return (
    <Dialog title={t`Share video`} isWide onClose={onClose}>
      {created ? (
        <NewLink created={created} onAgain={() => setCreated(undefined)} />
      ) : (
        <ShareForm onCreated={setCreated} />
      )}
      <LinkList />
    </Dialog>
  )
}

function ShareForm({ onCreated }: { readonly onCreated: (created: NewAccessToken) => void }) {
  const { t } = useLingui()
  const problemText = useProblemText()
  const form = useRef<HTMLFormElement>(null)
  const create = useCreate(onCreated)
  const lifetimes = [
    { value: String(HOUR_SECONDS), label: t`In 1 hour` },
    { value: String(DAY_SECONDS), label: t`In 1 day` },
    { value: String(7 * DAY_SECONDS), label: t`In 7 days` },
    { value: String(30 * DAY_SECONDS), label: t`In 30 days` },
  ]
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (form.current && !create.isPending) create.mutate(bodyOf(new FormData(form.current)))
  }
  return (
    <form ref={form} className={styles.form} onSubmit={submit}>
      <p
        className={styles.hint}
      >{t`Only people with the link can watch the video, until it expires or you revoke it.`}</p>
      <div className={styles.fields}>
        <SelectField label={t`Expires`} name="lifetime" defaultValue={lifetimes[2]?.value} options={lifetimes} />
        <TextField
          label={t`Viewer (optional)`}
          hint={t`A name or number that you recognize in the list.`}
          name="viewer"
          maxLength={VIEWER_LENGTH_MAX}
          autoComplete="off"
        />
        <TextField
          label={t`Allowed sites (optional)`}
          hint={t`For example www.example.com, *.example.org`}
          name="sites"
          autoComplete="off"
        />
        <TextField
          label={t`Watermark (optional)`}
          hint={t`Text that the player shows over the video.`}
          name="watermark"
          maxLength={WATERMARK_LENGTH_MAX}
          autoComplete="off"
        />
      </div>
      <label className={styles.check}>
        <input type="checkbox" name="single" />
        <span>
          {t`Single use`}
          <small>{t`Only the first person who opens the link can watch.`}</small>
        </span>
      </label>
      {create.error && <Notice kind="error">{problemText(create.error)}</Notice>}
      <Button type="submit" look="primary" size="large" isBusy={create.isPending}>
        {t`Create link`}
      </Button>
    </form>
  )
}

function bodyOf(data: FormData): CreateAccessTokenBody {
  const text = (name: string) => String(data.get(name) ?? '').trim()
  const referrers = hostsIn(text('sites'))
  return {
    expires_in_seconds: Number(text('lifetime')),
    single_use: data.has('single'),
    ...(text('viewer') && { viewer_id: text('viewer') }),
    ...(text('watermark') && { watermark: text('watermark') }),
    ...(referrers.length > 0 && { referrers }),
  }
}

function useCreate(onCreated: (created: NewAccessToken) => void) {
  const { id: organization, client } = useOrganization()
  const { asset } = useVideo()
  return useMutation({
    mutationFn: (body: CreateAccessTokenBody) => client.accessTokens.create(asset.id, body),
    onSuccess: (created) => {
      onCreated(created)
      return queryClient.invalidateQueries({ queryKey: partKey(organization, asset.id, 'links') })
    },
  })
}
