import { useLingui } from '@lingui/react/macro'
import { type SubmitEvent, useId } from 'react'
import type { Organization, UpdateOrganizationBody } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { meQuery, queryClient } from '../../../app/queries.ts'
import { useProblemText } from '../../../app/texts/problem-text.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { CheckField } from '../../../ui/forms/check-field.tsx'
import { SelectField } from '../../../ui/forms/select-field.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { Notice } from '../../../ui/notice.tsx'
import styles from '../parts/parts.module.css'
import { useChange } from '../parts/use-change.ts'
import { changesIn, resolutions } from './organization-values.ts'

type Settings = Organization & { readonly etag: string | null }

/** Shows the settings; those who may change them get a form. */
export function OrganizationForm({ settings }: { readonly settings: Settings }) {
  const { t } = useLingui()
  const { client, can } = useOrganization()
  const problemText = useProblemText()
  const save = useChange({
    run: (body: UpdateOrganizationBody) => client.organization.update(body, { ifMatch: settings.etag }),
    refreshes: ['organization'],
    doneText: t`The settings were saved.`,
    isInDialog: true,
    onDone: () => void queryClient.invalidateQueries(meQuery),
  })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const changes = changesIn(new FormData(event.currentTarget), settings)
    if (changes && !save.isPending) save.mutate(changes)
  }
  const isReadOnly = !can('organization:write')
  return (
    <form className={styles.form} onSubmit={submit}>
      <fieldset className={styles.cards} disabled={isReadOnly}>
        <legend className="visually-hidden">{t`Organization settings`}</legend>
        <Card title={t`General`}>
          <TextField label={t`Name`} name="name" defaultValue={settings.name} maxLength={255} required />
        </Card>
        <UploadDefaults settings={settings} />
        <Retention settings={settings} />
        <EmbedOrigins origins={settings.allowed_embed_origins} />
      </fieldset>
      {Boolean(save.error) && <Notice kind="error">{problemText(save.error)}</Notice>}
      {!isReadOnly && (
        <div className={styles.buttons}>
          <Button type="submit" look="primary" isBusy={save.isPending}>
            {t`Save changes`}
          </Button>
        </div>
      )}
    </form>
  )
}

function UploadDefaults({ settings }: { readonly settings: Settings }) {
  const { t } = useLingui()
  const protections = [
    { value: 'disable', label: t`None` },
    { value: 'aes', label: t`Encrypted (AES-128)` },
    { value: 'drm', label: t`DRM` },
  ]
  const { default_content_protection_type: protection, default_resolutions: chosen } = settings
  return (
    <Card title={t`Upload defaults`} description={t`Apply to uploads that do not set their own options.`}>
      <SelectField label={t`Content protection`} name="protection" defaultValue={protection} options={protections} />
      <fieldset className={styles.choices}>
        <legend className={styles.fieldLabel}>{t`Resolutions`}</legend>
        {resolutions.map((resolution) => (
          <CheckField
            key={resolution}
            name="resolutions"
            value={resolution}
            label={resolution}
            defaultChecked={chosen?.includes(resolution)}
          />
        ))}
        <p className={styles.hint}>{t`If none is selected, every upload must specify its resolutions.`}</p>
      </fieldset>
    </Card>
  )
}

function Retention({ settings }: { readonly settings: Settings }) {
  const { t } = useLingui()
  const days = { type: 'number', min: 0, max: 365, inputMode: 'numeric', required: true } as const
  return (
    <Card title={t`Retention`}>
      <TextField
        {...days}
        label={t`Days in the trash`}
        hint={t`How long deleted videos and folders can be restored. 0 deletes them immediately.`}
        name="trash_days"
        defaultValue={settings.trash_days}
      />
      <TextField
        {...days}
        label={t`Days until an empty upload is removed`}
        hint={t`For uploads that ended without a file.`}
        name="abandoned_days"
        defaultValue={settings.abandoned_days}
      />
      <TextField
        {...days}
        min={1}
        max={100}
        label={t`Versions of a video`}
        hint={t`Older files are deleted when a video gets a new one.`}
        name="versions_kept"
        defaultValue={settings.versions_kept}
      />
    </Card>
  )
}

function EmbedOrigins({ origins }: { readonly origins: readonly string[] }) {
  const { t } = useLingui()
  const id = useId()
  return (
    <Card title={t`Sites that may embed the player`}>
      <div className={styles.form}>
        <label htmlFor={id} className={styles.fieldLabel}>
          {t`Addresses, one per line`}
        </label>
        <textarea
          id={id}
          className={styles.textArea}
          name="origins"
          rows={4}
          defaultValue={origins.join('\n')}
          placeholder="https://www.example.com"
          spellCheck={false}
          aria-describedby={`${id}-hint`}
        />
        <p id={`${id}-hint`} className={styles.hint}>
          {t`For example https://www.example.com or https://*.example.com. Empty: all sites.`}
        </p>
      </div>
    </Card>
  )
}
