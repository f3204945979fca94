import { useLingui } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import type { Member } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { meQuery, queryClient } from '../../../app/queries.ts'
import { CheckField } from '../../../ui/forms/check-field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import styles from '../parts/parts.module.css'
import { useChange } from '../parts/use-change.ts'

type Props = { readonly member: Member; readonly isMe: boolean; readonly onClose: () => void }

/** Removes a member, and optionally revokes the access that the member granted. */
export function RemoveMemberDialog({ member, isMe, onClose }: Props) {
  const { t } = useLingui()
  const { client, name: organizationName } = useOrganization()
  const router = useRouter()
  const { id, name } = member
  const leave = async () => {
    await queryClient.invalidateQueries(meQuery)
    await router.navigate({ to: '/' })
    await router.invalidate()
  }
  const remove = useChange({
    run: (descendants: boolean) => client.members.remove(id, descendants ? { descendants: true } : {}),
    refreshes: isMe ? [] : ['members', 'invitations', 'tokens', 'signing-keys', 'webhooks', 'roles'],
    doneText: isMe ? t`You left the organization ${organizationName}.` : t`${name} was removed.`,
    isInDialog: true,
    onDone: () => {
      onClose()
      if (isMe) void leave()
    },
  })
  return (
    <FormDialog
      title={isMe ? t`Leave ${organizationName}?` : t`Remove ${name}?`}
      submitLabel={isMe ? t`Leave` : t`Remove`}
      isDanger
      isBusy={remove.isPending}
      error={remove.error}
      onSubmit={(values) => remove.mutate(values.get('descendants') === 'on')}
      onClose={onClose}
    >
      <p className={styles.text}>
        {isMe
          ? t`You lose access immediately. To return, you need a new invitation.`
          : t`The member loses access within a second and is signed out of this organization. Videos and folders remain.`}
      </p>
      <CheckField
        name="descendants"
        label={isMe ? t`Also revoke the access that I granted` : t`Also revoke the access that the member granted`}
        hint={t`Revokes the API tokens and shared links, removes the members who were invited, deletes the signing keys and disables the webhooks.`}
      />
    </FormDialog>
  )
}
