import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { CreateWebhookBody, Webhook } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { SecretDialog } from '../parts/secret-dialog.tsx'
import { useChange } from '../parts/use-change.ts'
import { TypesField } from './types-field.tsx'

type Types = NonNullable<CreateWebhookBody['types']>

/** Creates a webhook and shows its secret once, or changes the given webhook. */
export function WebhookDialog({ webhook, onClose }: { readonly webhook?: Webhook; readonly onClose: () => void }) {
  const { t } = useLingui()
  const { client } = useOrganization()
  const [types, setTypes] = useState<readonly string[]>(webhook?.types ?? [])
  const create = useChange({
    run: (body: CreateWebhookBody) => client.webhooks.create(body),
    refreshes: ['webhooks'],
    isInDialog: true,
  })
  const update = useChange({
    run: (body: CreateWebhookBody) => client.webhooks.update(webhook?.id ?? '', body),
    refreshes: ['webhooks'],
    doneText: t`The webhook was changed.`,
    isInDialog: true,
    onDone: onClose,
  })
  if (create.data) {
    return (
      <SecretDialog
        title={t`The webhook was created`}
        label={t`Signing secret`}
        secret={create.data.secret}
        onClose={onClose}
      >
        {t`Your server uses it to verify that requests come from this service.`}
      </SecretDialog>
    )
  }
  const save = webhook ? update : create
  const submit = (values: FormData) =>
    save.mutate({
      url: String(values.get('url')).trim(),
      description: String(values.get('description')).trim(),
      types: types as Types,
    })
  return (
    <FormDialog
      title={webhook ? t`Edit the webhook` : t`Create a webhook`}
      submitLabel={webhook ? t`Save` : t`Create webhook`}
      isBusy={save.isPending}
      error={save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t`Endpoint URL`}
        name="url"
        type="url"
        placeholder="https://"
        defaultValue={webhook?.url}
        hint={t`Receives each event as a POST request.`}
        required
        autoFocus
      />
      <TextField
        label={t`Description (optional)`}
        name="description"
        defaultValue={webhook?.description}
        maxLength={255}
      />
      <TypesField chosen={types} onChange={setTypes} />
    </FormDialog>
  )
}
