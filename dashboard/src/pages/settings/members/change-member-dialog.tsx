import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { Member } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { meQuery, queryClient } from '../../../app/queries.ts'
import { FolderField } from '../parts/folder-field.tsx'
import { useFolderTitle } from '../parts/folder-limit.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { RoleField } from '../parts/role-field.tsx'
import { useChange } from '../parts/use-change.ts'

/** Changes the role and the folder limit of a member. */
export function ChangeMemberDialog({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const { t } = useLingui()
  const { client } = useOrganization()
  const { id, name, folder_uuid: limit } = member
  const limitTitle = useFolderTitle(limit)
  const [folder, setFolder] = useState(limit)
  const change = useChange({
    run: (role: string) => client.members.update(id, { role, folder_uuid: folder }),
    refreshes: ['members', 'roles'],
    doneText: t`The member was changed.`,
    isInDialog: true,
    onDone: () => {
      void queryClient.invalidateQueries(meQuery)
      onClose()
    },
  })
  return (
    <FormDialog
      title={t`Edit ${name}`}
      submitLabel={t`Save`}
      isBusy={change.isPending}
      error={change.error}
      onSubmit={(values) => change.mutate(String(values.get('role')))}
      onClose={onClose}
    >
      <RoleField initial={member.role.id} />
      {(limit === null || limitTitle !== undefined) && (
        <FolderField
          hint={t`The member then sees and changes only this folder and everything in it.`}
          initial={limit === null || limitTitle === undefined ? undefined : { uuid: limit, title: limitTitle }}
          onChange={(chosen) => setFolder(chosen?.uuid ?? null)}
        />
      )}
    </FormDialog>
  )
}
