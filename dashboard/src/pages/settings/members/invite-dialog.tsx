import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { CreateInvitationBody } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { SelectField } from '../../../ui/forms/select-field.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { FolderField } from '../parts/folder-field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { RoleField } from '../parts/role-field.tsx'
import { SecretDialog } from '../parts/secret-dialog.tsx'
import { useChange } from '../parts/use-change.ts'

const SECONDS_PER_DAY = 86_400
const DEFAULT_DAYS = '7'

/** Invites a person, then shows the one-time link. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useLingui()
  const { client } = useOrganization()
  const [folder, setFolder] = useState<string>()
  const invite = useChange({
    run: (body: CreateInvitationBody) => client.invitations.create(body),
    refreshes: ['invitations'],
    isInDialog: true,
  })
  if (invite.data) {
    const { link, email, mailed } = invite.data
    return (
      <SecretDialog title={t`Invitation for ${email}`} label={t`Invitation link`} secret={link} onClose={onClose}>
        {mailed
          ? t`The link was sent by email. You can also give it to the person yourself. It works once.`
          : t`Send this link to the person. It works once.`}
      </SecretDialog>
    )
  }
  const submit = (values: FormData) =>
    invite.mutate({
      email: String(values.get('email')).trim(),
      role: String(values.get('role')),
      expires_in_seconds: Number(values.get('days')) * SECONDS_PER_DAY,
      ...(folder !== undefined && { folder_uuid: folder }),
    })
  const days = [
    { value: '1', label: t`1 day` },
    { value: DEFAULT_DAYS, label: t`7 days` },
    { value: '30', label: t`30 days` },
  ]
  return (
    <FormDialog
      title={t`Invite a member`}
      submitLabel={t`Create invitation`}
      isBusy={invite.isPending}
      error={invite.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label={t`Email address`} name="email" type="email" autoComplete="off" required autoFocus />
      <RoleField initial="editor" />
      <FolderField
        hint={t`The member then sees and changes only this folder and everything in it.`}
        onChange={(chosen) => setFolder(chosen?.uuid)}
      />
      <SelectField label={t`Link valid for`} name="days" defaultValue={DEFAULT_DAYS} options={days} />
    </FormDialog>
  )
}
