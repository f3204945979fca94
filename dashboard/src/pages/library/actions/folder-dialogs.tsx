import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Folder } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { useProblemText } from '../../../app/texts/problem-text.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { rootFolderOf } from '../tree/folder-levels.ts'
import styles from './dialogs.module.css'
import { MoveDialog } from './move-dialog.tsx'
import { useFolderActions } from './use-folder-actions.ts'

/** The action that the user has chosen for a folder. A new folder without `parent` is created at the top level. */
export type FolderQuestion =
  | { readonly kind: 'create'; readonly parent: Folder | undefined }
  | { readonly kind: 'rename' | 'move' | 'delete'; readonly folder: Folder }

type Props = {
  readonly question: FolderQuestion
  readonly onClose: () => void
  readonly onCreated?: (uuid: string, parent: string | undefined) => void
  readonly onDeleted?: (uuid: string) => void
}

export function FolderDialogs({ question, onClose, onCreated, onDeleted }: Props) {
  const actions = useFolderActions()
  if (question.kind === 'create') {
    return <CreateDialog parent={question.parent} onClose={onClose} onCreated={onCreated ?? (() => {})} />
  }
  const { kind, folder } = question
  if (kind === 'rename') return <RenameDialog folder={folder} onClose={onClose} />
  if (kind === 'move') return <MoveFolderDialog folder={folder} onClose={onClose} />
  return (
    <DeleteDialog
      folder={folder}
      onClose={onClose}
      onConfirm={() => {
        onClose()
        void actions.moveToTrash(folder).then((isMoved) => isMoved && onDeleted?.(folder.uuid))
      }}
    />
  )
}

type CreateProps = {
  readonly parent: Folder | undefined
  readonly onClose: () => void
  readonly onCreated: (uuid: string, parent: string | undefined) => void
}

function CreateDialog({ parent, onClose, onCreated }: CreateProps) {
  const { t } = useLingui()
  const organization = useOrganization()
  const { refresh } = useFolderActions()
  const parentTitle = parent?.title ?? ''
  return (
    <TitleDialog
      title={parent ? t`New folder in ${parentTitle}` : t`New folder`}
      saveLabel={t`Create folder`}
      initial=""
      onClose={onClose}
      onSave={async (title) => {
        const destination = parent?.uuid ?? rootFolderOf(organization)
        const { uuid } = await organization.client.folders.create({ title, parent: destination })
        await refresh()
        onCreated(uuid, parent?.uuid)
      }}
    />
  )
}

function RenameDialog({ folder, onClose }: { readonly folder: Folder; readonly onClose: () => void }) {
  const { t } = useLingui()
  const { client } = useOrganization()
  const { refresh } = useFolderActions()
  return (
    <TitleDialog
      title={t`Rename folder`}
      saveLabel={t`Rename`}
      initial={folder.title}
      onClose={onClose}
      onSave={async (title) => {
        await client.folders.update(folder.uuid, { title })
        await refresh()
      }}
    />
  )
}

const TITLE_MAX = 255

type TitleProps = {
  readonly title: string
  readonly saveLabel: string
  readonly initial: string
  readonly onClose: () => void
  readonly onSave: (title: string) => Promise<void>
}

function TitleDialog({ title, saveLabel, initial, onClose, onSave }: TitleProps) {
  const { t } = useLingui()
  const problemText = useProblemText()
  const [name, setName] = useState(initial)
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    if (name.trim() === '') return setError(t`Enter a name.`)
    setBusy(true)
    try {
      await onSave(name.trim())
      onClose()
    } catch (problem) {
      setError(problemText(problem))
      setBusy(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form className={styles.form} onSubmit={submit} noValidate>
        <TextField
          label={t`Name`}
          value={name}
          maxLength={TITLE_MAX}
          autoFocus
          autoComplete="off"
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => setName(event.target.value)}
          error={error}
        />
        <div className={styles.buttons}>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button look="primary" type="submit" isBusy={isBusy}>
            {saveLabel}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function MoveFolderDialog({ folder, onClose }: { readonly folder: Folder; readonly onClose: () => void }) {
  const { t } = useLingui()
  const actions = useFolderActions()
  const { title } = folder
  return (
    <MoveDialog
      title={t`Move ${title} to…`}
      exclude={folder.uuid}
      onClose={onClose}
      onMove={(destination) => {
        onClose()
        void actions.move(folder, destination)
      }}
    />
  )
}

type DeleteProps = { readonly folder: Folder; readonly onClose: () => void; readonly onConfirm: () => void }

/** Says how much is in the folder before it is moved to the trash. */
function DeleteDialog({ folder, onClose, onConfirm }: DeleteProps) {
  const { t } = useLingui()
  const { id, client } = useOrganization()
  const { uuid, title } = folder
  const { data } = useQuery({
    queryKey: ['o', id, 'folder-deletion', uuid],
    queryFn: ({ signal }) => client.folders.previewDeletion(uuid, { signal }),
    staleTime: 0,
  })
  if (data && !data.allowed) {
    return (
      <Dialog title={t`This folder cannot be deleted at once`} onClose={onClose}>
        <p>{t`It contains too many folders and videos. Move or delete some of them first.`}</p>
        <div className={styles.buttons}>
          <Button autoFocus onClick={onClose}>{t`Close`}</Button>
        </div>
      </Dialog>
    )
  }
  const [folders, videos] = [(data?.folder_count ?? 1) - 1, data?.asset_count ?? 0]
  return (
    <ConfirmDialog
      title={t`Move ${title} to the trash?`}
      confirmLabel={t`Move to trash`}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {folders + videos > 0
        ? t`It contains ${plural(videos, { one: '# video', other: '# videos' })} and ${plural(folders, { one: '# folder', other: '# folders' })}. You can restore everything from the trash.`
        : t`You can restore it from the trash.`}
    </ConfirmDialog>
  )
}
